import { readFileSync } from 'node:fs';
import type { Sentiment } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import { readOpinionLists } from '@survey/text-analysis/sentiment/opinion-words.ts';
import type { LabelledText } from './read-m-absa.ts';

const LABELS: Readonly<Record<string, Sentiment>> = { '+': 'positive', '-': 'negative', '=': 'neutral' };

/**
 * Reads our own answers to survey questions: `+ text`, `- text`, `= text`; the parts of a mixed
 * answer are separated by `|`.
 */
export function readHrSentences(language: string): readonly LabelledText[] {
  return linesOf(`hr-sentences/${language}.txt`).map(readLine);
}

/**
 * Reads words that express an opinion in any context, in the same notation, separated by commas.
 */
export function readOpinionWords(language: string): readonly LabelledText[] {
  return readOpinionLists(language).flatMap(([sign, phrases]) => phrases.map((phrase) => readLine(`${sign} ${phrase}`)));
}

function linesOf(file: string): readonly string[] {
  const lines = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '');
}

function readLine(line: string): LabelledText {
  const parts = line.split(/\s*\|/u).map((part) => ({ label: LABELS[part.charAt(0)], text: part.slice(2) }));
  const text = parts.map((part) => part.text).join(' ');
  let start = 0;
  const pairs = parts.map((part) => {
    if (part.label === undefined) throw new Error(`cannot read hr-sentences: a part must begin with +, - or =: ${line}`);
    const target = { start, end: start + part.text.length };
    start = target.end + 1;
    return { text, target: parts.length > 1 ? target : undefined, category: 'work', label: part.label };
  });
  return { text, pairs };
}
