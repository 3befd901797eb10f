import { eld } from 'eld/extrasmall';
import { expect, test } from 'vitest';
import { DETECTED_LANGUAGES, languageOf } from '@survey/text/words/language.ts';
import { readHrSentences } from './training/read-hr-sentences.ts';

test('detects the same languages as eld', () => {
  const detector = eld.newInstance();
  detector.setLanguageSubset([...DETECTED_LANGUAGES]);
  const texts = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv'].flatMap((language) =>
    readHrSentences(language).map(({ text }) => text),
  );
  const cut = texts.map((text, at) => text.slice(0, at % 40));
  const long = texts.map((_, at) =>
    texts
      .slice(at, at + 5)
      .join(' ')
      .slice(0, 400),
  );
  const other = [
    'привет, как дела',
    'こんにちは 世界',
    '안녕하세요',
    'γειά σου',
    "d'accord ''",
    '7/10',
    '😀 ok',
    'é'.repeat(400),
  ];
  const all = [...texts, ...cut, ...long, ...other];
  expect(all.map((text) => languageOf(text, null))).toEqual(all.map((text) => detector.detect(text).language));
});
