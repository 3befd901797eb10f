import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedMasker } from '@survey/pii-masking/embedded-masker.ts';
import { PERSONAL_CATEGORIES, type Span } from '@survey/pii-masking/masker.ts';
import { Roster } from '@survey/pii-masking/roster.ts';
import type { Row } from './row.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl'] as const;
const NO_ROSTER = new Roster();
const ALL = new Set(PERSONAL_CATEGORIES);

interface Review {
  readonly text: string;
  readonly language: string;
}

/**
 * Reads product reviews, which rarely name a person. The word lists were made from the `train`
 * parts of other domains, so these texts are unseen.
 */
export function readReviews(data: string): Review[] {
  const reviews: Review[] = [];
  for (const language of LANGUAGES) {
    for (const domain of ['coursera', 'food', 'hotel', 'phone', 'sight']) reviews.push(...lines(data, domain, language, 'dev'));
    for (const domain of ['restaurant', 'laptop'])
      for (const part of ['train', 'dev']) reviews.push(...lines(data, domain, language, part));
  }
  const mams = join(data, 'mams', 'acsa_val.xml');
  if (!existsSync(mams)) return reviews;
  for (const [, text] of readFileSync(mams, 'utf8').matchAll(/<text>([^<]*)<\/text>/g))
    reviews.push({ text: text ?? '', language: 'en' });
  return reviews;
}

function lines(data: string, domain: string, language: string, part: string): Review[] {
  const file = join(data, 'm-absa', domain, language, `${part}.txt`);
  const texts = readFileSync(file, 'utf8').split('\n');
  return texts.map((line) => ({ text: line.split('####')[0] ?? '', language })).filter(({ text }) => text !== '');
}

async function* maskReviews(data: string): AsyncGenerator<Review & { readonly spans: readonly Span[] }> {
  for (const review of readReviews(data)) {
    yield { ...review, spans: await embeddedMasker.find({ ...review, roster: NO_ROSTER, categories: ALL }) };
  }
}

/**
 * Counts masks per 1,000 words of text that rarely names a person: an upper bound of wrong masks.
 */
export async function evaluateOverMasking(data: string): Promise<Row[]> {
  const counts = new Map<string, { words: number; masked: number; masks: Map<string, number> }>();
  for await (const { text, language, spans } of maskReviews(data)) {
    const count = counts.get(language) ?? { words: 0, masked: 0, masks: new Map<string, number>() };
    counts.set(language, count);
    count.words += text.split(/\s+/).length;
    for (const { start, end, category } of spans) {
      count.masked += text.slice(start, end).split(/\s+/).length;
      count.masks.set(category, (count.masks.get(category) ?? 0) + 1);
    }
  }
  return [...counts].map(([language, { words, masked, masks }]) => ({
    name: `words masked in ${words} words of reviews, ${language}`,
    goal: '<= 0.03 %',
    figure: `${((100 * masked) / words).toFixed(3)} % (${PERSONAL_CATEGORIES.map((category) => `${category} ${masks.get(category) ?? 0}`).join(', ')})`,
  }));
}
