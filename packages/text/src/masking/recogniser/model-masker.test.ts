import { describe, expect, it } from 'vitest';
import { embeddedMasker } from '../embedded-masker.ts';
import { maskText } from '../mask-text.ts';
import { PERSONAL_CATEGORIES, type PersonalCategory } from '../masker.ts';
import { Roster } from '../roster.ts';
import { createModelMasker } from './model-masker.ts';
import { openClassifier } from './open-classifier.ts';

interface Model {
  readonly name?: readonly string[];
  readonly unsure?: readonly string[];
  readonly address?: readonly string[];
}

interface Masking {
  readonly language?: string;
  readonly roster?: Roster;
  readonly categories?: readonly PersonalCategory[];
}

// Masks with a model that finds the given words.
async function mask(
  text: string,
  { name = [], unsure = [], address = [] }: Model,
  { language = 'en', roster = new Roster(), categories = PERSONAL_CATEGORIES }: Masking = {},
): Promise<string> {
  const masker = createModelMasker((plain) => {
    const words = [...plain.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
      start: index,
      end: index + word.length,
      name: name.includes(word) ? 0.99 : unsure.includes(word) ? 0.6 : 0,
      address: address.includes(word) ? 0.99 : 0,
    }));
    return Promise.resolve(words);
  }, 'fake');
  return maskText(text, await masker.find({ text, language, roster, categories: new Set(categories) }));
}

describe('masking by rules and model', () => {
  it('masks names and addresses that only the model finds [TEXTS-MASKING-1]', async () => {
    expect(await mask('we all prefer xilombo', { name: ['xilombo'] })).toBe('we all prefer [NAME]');
    expect(await mask('ask priyanka raghunathan', { name: ['priyanka', 'raghunathan'] })).toBe('ask [NAME]');
    expect(await mask('at Qualle 7 Zorb', { address: ['Qualle', '7', 'Zorb'] })).toBe('at [ADDRESS]');
  });

  it('masks a value once when rules and model find parts of it', async () => {
    expect(await mask('My manager Anna Raghunathanska helps.', { name: ['Raghunathanska'] })).toBe('My manager [NAME] helps.');
  });

  it('leaves common words, jobs, months and organisations visible', async () => {
    expect(await mask('The Canteen in December with Qorvex Ltd', { name: ['Canteen', 'December', 'Qorvex'] })).toBe(
      'The Canteen in December with Qorvex Ltd',
    );
    expect(await mask('zeg niets', { name: ['niets'] }, { language: 'nl' })).toBe('zeg niets');
  });

  it('leaves misspelt words visible, but no names', async () => {
    const found = ['nevr', 'alwys', 'salery', 'aoife', 'nobuto'];
    expect(await mask('my boss nevr says why, alwys talks salery', { name: found })).toBe(
      'my boss nevr says why, alwys talks salery',
    );
    expect(await mask('aoife and nobuto know', { name: found })).toBe('[NAME] and [NAME] know');
    expect(await mask('ask salery, or nobuto alwys', { name: found })).toBe('ask [NAME], or [NAME]');
  });

  it('needs a higher probability for a word in lower case among words with capitals', async () => {
    expect(await mask('We like qorvex here.', { unsure: ['qorvex'] })).toBe('We like qorvex here.');
    expect(await mask('we like qorvex here.', { unsure: ['qorvex'] })).toBe('we like [NAME] here.');
  });

  it('leaves allowed words visible, unless an employee has that name', async () => {
    const roster = new Roster([{ firstname: 'Zorbana', lastname: null, email: 'z@example.com' }]);
    for (const name of ['Team Qorvex', 'Zorbana']) roster.allow(name);
    expect(await mask('Ask Qorvex or Zorbana.', { name: ['Qorvex', 'Zorbana'] }, { roster })).toBe('Ask Qorvex or [NAME].');
  });

  it('masks only the requested categories', async () => {
    const model = { name: ['Qorvex'], address: ['Qualle', '7'] };
    expect(await mask('Qorvex of Qualle 7', model, { categories: ['address'] })).toBe('Qorvex of [ADDRESS]');
    expect(await mask('Qorvex of Qualle 7', model, { categories: ['email'] })).toBe('Qorvex of Qualle 7');
  });

  it('has another version than the rules', () => {
    expect(createModelMasker(() => Promise.resolve([]), 'x').version).not.toBe(embeddedMasker.version);
  });
});

it('fails to open a model that is missing', async () => {
  await expect(openClassifier('/nonexistent')).rejects.toThrow('cannot load the masking model');
});
