import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { LabelledPair } from './labelled-pair.ts';

const TRIPLE =
  /\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"), ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"), '(positive|neutral|negative)'\]/gu;
const label = z.enum(['positive', 'neutral', 'negative']);

export interface LabelledText {
  readonly text: string;
  readonly pairs: readonly LabelledPair[];
}

/** Reads the reviews of one domain and language of M-ABSA. */
export function readMAbsa(data: string, domain: string, language: string, part: 'train' | 'dev'): readonly LabelledText[] {
  const lines = readFileSync(join(data, 'm-absa', domain, language, `${part}.txt`), 'utf8').split(/\r?\n/u);
  return lines.filter((line) => line.includes('####')).map(readLine);
}

function readLine(line: string): LabelledText {
  const at = line.indexOf('####');
  const text = line.slice(0, at);
  const pairs = [...line.slice(at + 4).matchAll(TRIPLE)].map(([, target = '', category = '', polarity]) => {
    const start = text.indexOf(target.slice(1, -1));
    const named = target !== "'NULL'" && start >= 0;
    return {
      text,
      target: named ? { start, end: start + target.length - 2 } : undefined,
      category: category.slice(1, -1),
      label: label.parse(polarity),
    };
  });
  return { text, pairs };
}
