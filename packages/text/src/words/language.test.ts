import { expect, test } from 'vitest';
import { languageOf } from './language.ts';

test.each([
  ['en', 'My manager never listens to the team and the canteen is closed.'],
  ['de', 'Die Kantine ist geschlossen und niemand hört auf das Team.'],
  ['fr', 'La cantine est fermée et personne n’écoute l’équipe.'],
  ['es', 'El comedor está cerrado y nadie escucha al equipo.'],
  ['nl', 'De kantine is gesloten en niemand luistert naar het team.'],
])('%s', (language, text) => expect(languageOf(text, null)).toBe(language));

test('returns no language for a text without letters', () => {
  expect(['', '7/10', '\uD800', '🙂'].map((text) => languageOf(text, null))).toEqual(['', '', '', '']);
});

test('detects the language from the beginning of a text', () =>
  expect(languageOf('Nobody listens to us here. '.repeat(1_000), null)).toBe('en'));

test.each([
  ['nl', 'Leuke collega’s'],
  ['en', 'salary'],
  ['de', '7/10'],
])('returns the expected language %s for a short text', (language, text) => expect(languageOf(text, language)).toBe(language));

test('returns the language of a long text that is clearly not in the expected one', () =>
  expect(languageOf('Die Kantine ist geschlossen und niemand hört auf das Team.', 'en')).toBe('de'));
