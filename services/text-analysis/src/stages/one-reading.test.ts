import { expect, test } from 'vitest';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskEmployee } from '@survey/text/masking/mask-employee.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { createEmbeddedScorer } from '../sentiment/embedded-scorer.ts';
import { loadSentimentModels } from '../sentiment/sentiment-models.ts';
import { createEmbeddedCategoriser } from '../topics/embedded-categoriser.ts';
import { starterTopics } from '../topics/starter-topics.ts';

const scorer = createEmbeddedScorer(await loadSentimentModels());
const categoriser = createEmbeddedCategoriser();
const topics = starterTopics('de').map((topic, topicId) => ({ ...topic, topicId }));
const roster = new Roster([{ firstname: 'Jürgen', lastname: 'Oduya', email: 'k.oduya@example.com' }]);

const text = 'Die Küche ist großartig, aber das Gehalt für Überstunden ist schlecht; fragt Jürgen, +49 171 1234567.';
const masked = 'Die Küche ist großartig, aber das Gehalt für Überstunden ist schlecht; fragt [NAME], [PHONE].';

async function resultsOf(original: string) {
  const language = languageOf(original, null);
  const spans = await embeddedMasker.find({ text: original, language, roster, categories: new Set(PERSONAL_CATEGORIES) });
  const assigned = await categoriser.assign({ text: original, language, topics });
  const sentiment = topics.map((topic) => scorer.score({ text: original, language, question: undefined, topic }));
  return {
    masked: maskText(original, spans),
    erased: await maskEmployee(embeddedMasker, { text: original, language, roster }),
    assigned,
    sentiment: await Promise.all(sentiment),
  };
}

const decomposed = (each: string): string => each.normalize('NFD');
const inHtml = (each: string): string => each.replaceAll(/[^a-z,.;]/giu, (unit) => `&#${unit.codePointAt(0)};`);
const withSoftHyphens = (each: string): string => each.replaceAll(/(?<=\p{L})(?=\p{L})/gu, '\u00ad');

test.each([
  ['decomposed accents', decomposed],
  ['entities of HTML', inHtml],
  ['soft hyphens', withSoftHyphens],
])('masks, erases, categorises and scores a text with %s like the plain one [TEXTS-MASKING-6]', async (_, spell) => {
  const plain = await resultsOf(text);
  const spelled = await resultsOf(spell(text));

  expect(plain.masked).toBe(masked);
  expect(plain.assigned.length).toBeGreaterThan(1);
  const parts = masked.split(/(\[[A-Z]+\])/);
  expect(spelled.masked).toBe(parts.map((part) => (part.startsWith('[') ? part : spell(part))).join(''));
  expect(spelled.erased).toBe(spell(plain.erased).replace(spell('[NAME]'), '[NAME]'));
  expect([spelled.assigned, spelled.sentiment]).toEqual([plain.assigned, plain.sentiment]);
});
