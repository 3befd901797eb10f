import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabelledPair } from './labelled-pair.ts';

// Targets contain unescaped apostrophes: ['cours d'introduction', 'course general', 'neutral'].
const TRIPLE = /\[(['"])(.*?)\1, '([^']*)', '([^']*)'\]/gu;
// One domain (sight) abbreviates its labels.
const LABELS = new Map<string, LabelledPair['label']>([
  ['positive', 'positive'],
  ['negative', 'negative'],
  ['neutral', 'neutral'],
  ['conflict', 'conflict'],
  ['pos', 'positive'],
  ['neg', 'negative'],
  ['neu', 'neutral'],
]);

export interface LabelledText {
  readonly text: string;
  readonly pairs: readonly LabelledPair[];
}

/**
 * Reads the reviews of one domain and language of M-ABSA.
 * @throws for a label that it does not know
 */
export function readMAbsa(data: string, domain: string, language: string, part: 'train' | 'dev'): readonly LabelledText[] {
  return parseMAbsa(readFileSync(join(data, 'm-absa', domain, language, `${part}.txt`), 'utf8'));
}

/** As readMAbsa, for a file's contents. */
export function parseMAbsa(file: string): readonly LabelledText[] {
  return file
    .split(/\r?\n/u)
    .filter((line) => line.includes('####'))
    .map(readLine);
}

function readLine(line: string): LabelledText {
  const at = line.indexOf('####');
  const text = line.slice(0, at);
  const pairs = [...line.slice(at + 4).matchAll(TRIPLE)].map(([, , target = '', category = '', polarity = '']) => {
    const start = text.indexOf(target);
    const named = target !== 'NULL' && start >= 0;
    return {
      text,
      target: named ? { start, end: start + target.length } : undefined,
      category,
      label: labelOf(polarity),
    };
  });
  return { text, pairs };
}

// A skipped label would silently shrink the training set.
function labelOf(polarity: string): LabelledPair['label'] {
  const label = LABELS.get(polarity.trim().toLowerCase());
  if (label === undefined) throw new Error(`cannot read M-ABSA: unknown label ${polarity}`);
  return label;
}
