import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { readHrSentences } from '../training/read-hr-sentences.ts';
import type { Row } from './row.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv'] as const;
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

/**
 * Counts masks in text that rarely names a person, an upper bound of wrong masks: in reviews, and
 * in answers to surveys written for this project, which name no person.
 */
export async function evaluateOverMasking(masker: Masker, data: string): Promise<Row[]> {
  const reviews = readReviews(data).filter((_, at) => at % SHARE === REPORTED);
  const rows: Row[] = [];
  for (const [kind, goal, texts] of [
    ['reviews', '<= 0.03 %', reviews],
    ['answers to surveys', '0', ourAnswers()],
  ] as const) {
    for (const language of new Set(texts.map((text) => text.language)))
      rows.push(
        await countMasks(
          masker,
          { kind: `${kind}, ${language}`, goal },
          texts.filter((text) => text.language === language),
        ),
      );
  }
  return rows;
}

// Thresholds were chosen on other lines: the first of each two, and of each twelve reviews.
const SHARE = 4;
const REPORTED = 1;

function ourAnswers(): Review[] {
  return LANGUAGES.slice(0, 5).flatMap((language) =>
    readHrSentences(language)
      .filter((_, at) => at % 2 === 1)
      .map(({ text }) => ({ text, language })),
  );
}

async function countMasks(
  masker: Masker,
  { kind, goal }: { readonly kind: string; readonly goal: string },
  texts: readonly Review[],
): Promise<Row> {
  const masks = new Map<string, number>();
  let words = 0;
  let masked = 0;
  for (const { text, language } of texts) {
    words += text.split(/\s+/).length;
    for (const { start, end, category } of await masker.find({ text, language, roster: NO_ROSTER, categories: ALL })) {
      masked += text.slice(start, end).split(/\s+/).length;
      masks.set(category, (masks.get(category) ?? 0) + 1);
    }
  }
  const counts = PERSONAL_CATEGORIES.map((category) => `${category} ${masks.get(category) ?? 0}`).join(', ');
  return {
    name: `words masked in ${words} words of ${kind}`,
    goal,
    figure: `${((100 * masked) / words).toFixed(3)} % (${counts})`,
  };
}
