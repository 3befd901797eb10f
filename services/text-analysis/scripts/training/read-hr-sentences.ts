import { readFileSync } from 'node:fs';
import type { Sentiment } from '../../src/sentiment/sentiment-scorer.ts';
import type { LabelledText } from './read-m-absa.ts';

const LABELS: Readonly<Record<string, Sentiment>> = { '+': 'positive', '-': 'negative', '=': 'neutral' };

/** Our own answers to survey questions: `+ text`, `- text`, `= text`; the parts of a mixed one follow each other after `|`. */
export function readHrSentences(language: string): readonly LabelledText[] {
  const lines = readFileSync(new URL(`../hr-sentences/${language}.txt`, import.meta.url), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map(readLine);
}

function readLine(line: string): LabelledText {
  const parts = line.split(/\s*\|/u).map((part) => ({ label: LABELS[part.charAt(0)], text: part.slice(2) }));
  const text = parts.map((part) => part.text).join(' ');
  let start = 0;
  const pairs = parts.map((part) => {
    if (part.label === undefined) throw new Error(`hr-sentences: a part begins with neither +, - nor =: ${line}`);
    const target = { start, end: start + part.text.length };
    start = target.end + 1;
    return { text, target: parts.length > 1 ? target : undefined, category: 'work', label: part.label };
  });
  return { text, pairs };
}
