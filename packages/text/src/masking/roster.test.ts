import { expect, test } from 'vitest';
import { hashA, hashB, HASH_A_START, HASH_B_START } from './word-table.ts';
import { Roster, ROSTER_FIRST, ROSTER_LAST, ROSTER_LOGIN } from './roster.ts';

function bitsOf(roster: Roster, word: string): number {
  const units = Array.from({ length: word.length }, (_, at) => word.charCodeAt(at));
  return roster.bitsOf(units.reduce(hashA, HASH_A_START), units.reduce(hashB, HASH_B_START));
}

test('contains first names, last names and mailbox names, folded and by word', () => {
  const roster = new Roster([{ firstname: 'Anna-Maria', lastname: 'van der Müller', email: 'a.mmueller7@example.com' }]);

  expect(['anna', 'maria'].map((word) => bitsOf(roster, word))).toEqual([ROSTER_FIRST, ROSTER_FIRST]);
  expect(['muller', 'mueller'].map((word) => bitsOf(roster, word))).toEqual([ROSTER_LAST, ROSTER_LAST]);
  expect(bitsOf(roster, 'mmueller')).toBe(ROSTER_LOGIN);
  expect(['van', 'der', 'example', 'smith'].map((word) => bitsOf(roster, word))).toEqual([0, 0, 0, 0]);
});

test.each([
  ['Robert', '', ['robert', 'bob', 'roberts', 'bobs'], ROSTER_FIRST],
  ['', 'Robert', ['robert', 'roberts'], ROSTER_LAST],
  ['', 'Robert', ['bob'], 0],
  ['', 'Größ-Bäcker', ['gros', 'groess', 'backer', 'baecker'], ROSTER_LAST],
  ['Ida', '', ['ida', 'idas'], ROSTER_FIRST],
  ['Bo Lars', '', ['bo', 'lars'], ROSTER_FIRST],
  ['Bo Lars', '', ['bos', 'larss'], 0],
])('knows forms of the name %s %s: %s', (firstname, lastname, words, bits) => {
  const roster = new Roster([{ firstname, lastname, email: '' }]);

  expect(words.map((word) => bitsOf(roster, word))).toEqual(words.map(() => bits));
});

test('leaves allowed words visible, but for names of employees', () => {
  const roster = new Roster([{ firstname: 'Anna', lastname: null, email: '' }]);
  roster.allow('Team Hydra');
  roster.allow('Anna');
  roster.allow('Aurora', { onlyModel: true });

  expect(['Hydra', 'team hydra', 'Hydra Oak', 'Anna', 'Aurora', '3'].map((text) => roster.isVisible(text))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(['Hydra', 'Aurora', 'Anna', 'Oak'].map((word) => roster.isVisibleToModel(word))).toEqual([true, true, false, false]);
});

test.each([
  ['abcd', ROSTER_LOGIN],
  ['abc', 0],
])('knows the mailbox %s only if it is long', (login, bits) => {
  expect(bitsOf(new Roster([{ firstname: null, lastname: null, email: `${login}@example.com` }]), login)).toBe(bits);
});

test('ignores missing names and function mailboxes', () => {
  expect(new Roster([{ firstname: null, lastname: '', email: 'info@example.com' }]).size).toBe(0);
});

test("returns both bits for a word that is one employee's first and another's last name", () => {
  const roster = new Roster();
  roster.add({ firstname: 'Martin', lastname: null, email: '' });
  roster.add({ firstname: null, lastname: 'Martin', email: '' });

  expect(bitsOf(roster, 'martin')).toBe(ROSTER_FIRST | ROSTER_LAST);
});

test('holds 100,000 employees', () => {
  const name = (number: number) =>
    Array.from(number.toString(26), (digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
  const roster = new Roster(
    Array.from({ length: 100_000 }, (_, at) => ({ firstname: `f${name(at)}`, lastname: `l${name(at)}`, email: '' })),
  );

  expect(roster.size).toBeGreaterThan(190_000);
  expect(bitsOf(roster, `f${name(99_999)}`)).toBe(ROSTER_FIRST);
});
