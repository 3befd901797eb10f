import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopicView } from './categoriser.ts';
import { createEmbeddedCategoriser } from './embedded-categoriser.ts';

const topic = (topicId: number, name: string, keywords: Record<string, readonly string[]> = {}): TopicView => ({
  topicId,
  name,
  keywords: new Map(Object.entries(keywords)),
});

const TOPICS: readonly TopicView[] = [
  topic(1, 'Pay', {
    en: ['salary', 'bonus', 'pay rise'],
    de: ['Gehalt', 'Führungszulage', 'Lohn'],
    nl: ['salaris'],
    fr: ['rémunération', 'paie'],
    es: ['sueldo'],
  }),
  topic(2, 'Tools', { en: ['IT', 'laptop'], de: ['Rechner'], fr: ['équipement'] }),
  topic(3, 'Communication', { en: ['communication'], es: ['comunicación'] }),
  topic(4, 'Breaks', { nl: ['pauze'] }),
  topic(5, 'Council', { nl: ['OR'], en: ['US'] }),
  topic(6, 'Bicycles', { fr: ['vélo'] }),
  topic(7, 'Light', { es: ['luz'] }),
];

const categoriser = createEmbeddedCategoriser();
const find = async (language: string, text: string, topics = TOPICS) =>
  (await categoriser.assign({ text, language, topics })).map(({ topicId }) => topicId);

describe('the embedded categoriser', () => {
  it.each([
    ['en', 'The salaries are low and no BONUSES were paid', [1]],
    ['en', 'I asked for a pay-rise', [1]],
    ['en', 'We communicated nothing', [3]],
    ['de', 'Eine Gehaltserhöhung gab es nicht', [1]],
    ['de', 'Das Grundgehalt ist niedrig', [1]],
    ['de', 'Die Fuehrungszulage fehlt', [1]],
    ['de', 'Die Fuhrungszulage fehlt', [1]],
    ['nl', 'Het basissalaris is te laag', [1]],
    ['fr', "L'ÉQUIPEMENT et la remuneration", [1, 2]],
    ['es', 'Falta comunicacion', [3]],
    ['nl', 'De salarissen zijn laag', [1]],
    ['nl', 'De pauzes zijn kort, de o.r. doet niets', [4, 5]],
    ['fr', 'Pas de velos', [6]],
    ['es', 'Las luces fallan', [7]],
  ])('%s: %s', async (language, text, expected) => {
    expect(await find(language, text)).toEqual(expected);
  });

  it.each([
    ['en', 'it is what it is, and I rise early to pay the bill'],
    ['de', 'Es ist lohnend'],
    ['en', 'Tell us more'],
    ['nl', 'Goed or slecht'],
    ['fr', 'Une bonne équipe'],
    ['es', 'Lo común'],
    ['en', ''],
    ['en', '…'],
  ])('%s: finds nothing in "%s"', async (language, text) => {
    expect(await find(language, text)).toEqual([]);
  });

  it.each([
    ['en', 'carpark', 'The car park is full, the car-parks too'],
    ['en', 'car park', 'The carpark is full'],
    ['en', 'Wi-Fi', 'No wifi in hall 3'],
    ['en', 'email', 'Too many e-mails'],
    ['de', 'Homeoffice', 'Mehr Home-Office bitte'],
    ['nl', 'huis', 'Huizen zijn te duur'],
    ['pt', 'reunião', 'Muitas reuniões'],
    ['da', 'løn', 'Lønnen er for lav'],
  ])('%s: finds %s however it is spaced or inflected: %s', async (language, keyword, text) => {
    expect(await find(language, text, [topic(1, 'Other', { [language]: [keyword] })])).toEqual([1]);
  });

  it('matches an abbreviation in capitals only when it is written so', async () => {
    expect(await find('en', 'IT is slow')).toEqual([2]);
    expect(await find('en', 'it is slow')).toEqual([]);
  });

  it('matches only the names of a topic without keywords for the language of the answer [TEXTS-TOPICS-4]', async () => {
    const topics = [
      topic(7, 'Health & Balance'),
      topic(8, 'Toilets', { en: ['toilets', 'WC'] }),
      topic(9, 'Canteen', { de: ['Kantine'] }),
      { ...topic(10, 'Premises'), otherNames: ['Buildings'] },
    ];
    expect(await find('en', 'My balance is off', topics)).toEqual([7]);
    expect(await find('en', 'So much stress, and the lunch is cold', topics)).toEqual([]);
    expect(await find('de', 'Die Toiletten und das WC', topics)).toEqual([]);
    expect(await find('de', 'Toilets', topics)).toEqual([8]);
    expect(await find('pl', 'Kantine', topics)).toEqual([]);
    expect(await find('en', 'The canteen', topics)).toEqual([9]);
    expect(await find('de', 'Canteen', topics)).toEqual([]);
    expect(await find('en', 'Old buildings', topics)).toEqual([10]);
  });

  it.each([
    ['C#', 'en', 'We write C# here', true],
    ['C#', 'en', 'Vitamin C', false],
    ['C', 'en', 'We write C# and C++', false],
    ['C++', 'en', 'Old C++ code', true],
    ['pto', 'en', 'More PTO please', true],
    ['pto', 'en', 'My P.T.O. was denied', true],
    ['PTO', 'en', 'no pto', true],
    ['P.T.O.', 'en', 'no pto', true],
    ['IT', 'en', 'I like it', false],
    ['食堂', 'zh', '公司的食堂很好', true],
    ['食堂', 'ja', '社員食堂のご飯がまずい', true],
    ['がん', 'ja', 'かんたん', false],
    ['급여', 'ko', '급여가 낮다', true],
    ['가', 'ko', '각자', false],
    ['🍕', 'en', 'Free 🍕 on Fridays', true],
  ])('finds %s (%s) in "%s": %s', async (keyword, language, text, isFound) => {
    expect(await find(language, text, [topic(1, 'x', { [language]: [keyword] })])).toEqual(isFound ? [1] : []);
  });

  it('returns a higher score the more an answer says about a topic', async () => {
    const [once] = await categoriser.assign({ text: 'The salary', language: 'en', topics: TOPICS });
    const [twice] = await categoriser.assign({ text: 'The salary and the bonus', language: 'en', topics: TOPICS });
    expect(twice?.score).toBeGreaterThan(once?.score ?? 1);
    expect(twice?.score).toBeLessThan(1);
  });
});

it('returns the same scores for the same answer, independently of other topics', async () => {
  const words = fc.constantFrom(
    'salary',
    'bonus',
    'IT',
    'it',
    'communication',
    'laptop',
    'the',
    '.',
    ',',
    '🙂',
    'é',
    ' - ',
    '\n',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }),
      fc.constantFrom('en', 'de', 'xx'),
      async (parts, language) => {
        const text = parts.join(' ');
        const all = await find(language, text);
        expect(await find(language, text, [...TOPICS])).toEqual(all);
        for (const one of TOPICS)
          expect(await find(language, text, [one])).toEqual(all.filter((topicId) => topicId === one.topicId));
      },
    ),
  );
});

it('reads a long text in bounded time when many keywords begin like its words', async () => {
  const words = Array.from({ length: 20_000 }, (_, nth) => `canteen q${nth}`);
  const begun = process.cpuUsage();
  expect(await find('en', `laptop ${'canteen '.repeat(12_000)}`, [...TOPICS, topic(4, 'Food', { en: words })])).toEqual([2]);
  // Comparing all of them takes a minute.
  expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(10);
});
