import { describe, expect, it } from 'vitest';
import { Roster, ROSTER_FIRST } from '../roster.ts';
import { readEvidence, type Evidence } from './evidence.ts';
import { GENITIVE, KNOWN_FIRST, LAST } from './name-lists.ts';

const people = new Roster([{ firstname: 'Jagna', lastname: 'Peters', email: '' }]);
const read = (text: string, language: string, roster = new Roster()): Evidence =>
  readEvidence({ text, language, roster, categories: new Set() });

it.each([
  ['en', 'Ana is cold'],
  ['en', ''],
  ['en', 'HR'],
  ['en', 'the BOSS is cold'],
  ['en', 'the [NAME] is cold'],
  // Too few words to tell, without abbreviations.
  ['en', 'SAYS BOSS COLD now'],
  ['en', 'SAYS BOSS COLD HR now'],
  ['en', 'SAYS BOSS COLD I now'],
  ['en', 'SAYS BOSS COLD SAP now'],
  // As many words in capitals as others.
  ['en', 'SAYS BOSS COLD today now here'],
  // A headline has most of its capitals within sentences, or is long.
  ['en', 'New Team Rocks Here'],
  ['en', 'Our New Team Rocks here'],
  ['en', 'Our New [NAME] Rocks here'],
  ['en', 'Ana. Ben. Cem. Dora. Eva. said it'],
  ['en', 'One Two Three Four Five Six seven eight nine ten'],
  ['de', 'Unser Neues Team Ist Hier'],
])('takes capitals for those of names in %s: %s', (language, text) => {
  const { capitalsTell, allSmall } = read(text, language);

  expect([capitalsTell, allSmall]).toEqual([true, false]);
});

it.each([
  ['en', 'SAYS BOSS COLD today now'],
  ['de', 'SAYS BOSS COLD today now'],
  ['en', 'SAYS BOSS COLD [ID] is now'],
  ['en', 'Our New Team Rocks Here'],
  ['en', 'Ana. Ben. Cem. Dora. Eva. Fay said it'],
  ['en', 'Ana. Ben. Cem. [NAME] [NAME] and it was'],
])('takes no capital for that of a name in %s: %s', (language, text) => {
  const { capitalsTell, allSmall } = read(text, language);

  expect([capitalsTell, allSmall]).toEqual([false, false]);
});

it.each(['ana is cold', 'I say the HR team is cold'])('takes for small: %s', (text) => {
  const { capitalsTell, allSmall } = read(text, 'en');

  expect([capitalsTell, allSmall]).toEqual([false, true]);
});

describe('inflected names', () => {
  it.each([
    ['en', 'Utes', KNOWN_FIRST | GENITIVE, 0],
    ['en', 'utes', 0, 0],
    ['fr', 'Utes', 0, 0],
    ['en', 'Utez', 0, 0],
    ['en', 'Idas', KNOWN_FIRST | GENITIVE, 0],
    ['en', 'Eds', 0, 0],
    ['pl', 'magdy', KNOWN_FIRST, 0],
    ['pl', 'markowi', KNOWN_FIRST, 0],
    ['pl', 'piotrkiem', 0, 0],
    // A surname as well; German writes most genitives.
    ['en', 'Peters', LAST | KNOWN_FIRST, 0],
    ['de', 'Peters', LAST | KNOWN_FIRST | GENITIVE, 0],
    ['pl', 'jagny', 0, ROSTER_FIRST],
    ['en', '[NAME]', 0, 0],
  ])('%s: %s', (language, word, lists, roster) => {
    const { lists: inLists, roster: inRoster } = read(word, language, word === 'Peters' ? undefined : people);

    expect([inLists[0], inRoster[0]]).toEqual([lists, roster]);
  });

  it('are none of the roster or of another list', () => {
    expect((read('Peters', 'en', people).lists[0] ?? 0) & KNOWN_FIRST).toBe(0);
    expect((read('Marks', 'en').lists[0] ?? 0) & KNOWN_FIRST).toBe(0);
  });
});
