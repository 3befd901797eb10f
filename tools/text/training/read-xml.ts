import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { LabelledText } from './read-m-absa.ts';

const polarity = z.enum(['positive', 'neutral', 'negative', 'conflict']);
const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };
const plain = (xml: string) => xml.replace(/&(?:lt|gt|quot|apos|amp);/gu, (entity) => ENTITIES[entity] ?? entity);

/** Reads sentences with aspect categories in the format of SemEval-2014 task 4 and MAMS. */
export function readSentences(file: string): readonly LabelledText[] {
  const sentences = readFileSync(file, 'utf8').matchAll(/<sentence\b[^>]*>(?<body>[\s\S]*?)<\/sentence>/gu);
  return [...sentences].map(({ groups }) => {
    const body = groups?.['body'] ?? '';
    const text = plain(/<text>([\s\S]*?)<\/text>/u.exec(body)?.[1] ?? '');
    const pairs = [...body.matchAll(/<aspectCategory category="([^"]*)" polarity="([^"]*)"/gu)].map(
      ([, category = '', label]) => ({
        text,
        target: undefined,
        category: plain(category),
        label: polarity.parse(label),
      }),
    );
    return { text, pairs };
  });
}
