import { expect, it } from 'vitest';
import { cueBefore } from './number-cues.ts';

it.each([
  ['the nearest word', 'employee number, not my phone: ', 'phone'],
  ['a card', 'My visa ', 'card'],
  ['a postcode', 'My zip code: ', 'postcode'],
  ['a word behind another number', 'On 3 May we paid ', 'amount'],
  ['who is called, for several numbers', 'Call 555-0199 or ', 'phone'],
  ['what an id is, for several numbers', 'Badge 4711 and ', 'id'],
  ['no amount for a second number', 'It costs 300 or ', undefined],
  ['no card for a second number', 'My card 4711 or ', undefined],
  ['no word that is far away', `phone ${'and so on '.repeat(5)}`, undefined],
  ['no sign alone', '/ ', undefined],
])('takes %s', (_, before, cue) => expect(cueBefore(`${before}12345`, before.length)).toBe(cue));
