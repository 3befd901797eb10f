import { readFileSync } from 'node:fs';
import { readList } from '@survey/text/masking/read-list.ts';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { readIdentities, type Identity } from './identities.ts';
import { seeded } from './random-ids.ts';
import { percentOfCases, type Row } from './row.ts';
import { isHidden, pick } from './survey-sentences.ts';

const ALL = new Set(PERSONAL_CATEGORIES);
const ROUNDS = 25;
const SEED = 77;
const MARKS = /\p{M}+/gu;

type Form = (person: Identity) => string | undefined;

const NICKNAMES = nicknames();

// Each in another form than that of the roster; undefined when the name has no such form.
const FORMS: readonly (readonly [name: string, goal: string, form: Form])[] = [
  ['last name only', '>= 97', ({ Surname }) => Surname],
  ['full name in lower case', '>= 97', ({ GivenName, Surname }) => `${GivenName} ${Surname}`.toLowerCase()],
  ['nickname', '>= 90', ({ GivenName }) => NICKNAMES.get(withoutAccents(GivenName).toLowerCase())],
  ['full name without accents', '>= 90', withoutItsAccents],
  ['first name and initial', '', ({ GivenName, Surname }) => `${GivenName} ${Surname.charAt(0)}.`],
  ['initial and last name', '', ({ GivenName, Surname }) => `${GivenName.charAt(0)}. ${Surname}`],
  ['last name, first name', '', ({ GivenName, Surname }) => `${Surname}, ${GivenName}`],
];

const withoutAccents = (name: string): string => name.normalize('NFD').replace(MARKS, '');

function withoutItsAccents({ GivenName, Surname }: Identity): string | undefined {
  const full = `${GivenName} ${Surname}`;
  return withoutAccents(full) === full.normalize('NFC') ? undefined : withoutAccents(full);
}

function nicknames(): ReadonlyMap<string, string> {
  const groups = readList('lists/nicknames.txt').map((line) => line.split(' '));
  const found = new Map<string, string>();
  for (const [name = '', ...others] of groups) {
    const [nickname = ''] = others;
    if (!found.has(name)) found.set(name, nickname.charAt(0).toUpperCase() + nickname.slice(1));
  }
  return found;
}

/** Measures names that are written in another form than in a roster that has all of them. */
export async function evaluateForms(masker: Masker, data: string): Promise<Row[]> {
  const everyone = readIdentities(data).filter(({ GivenName, Surname }) => GivenName !== '' && Surname !== '');
  const roster = new Roster(
    everyone.map(({ GivenName, Surname, EmailAddress }) => ({ firstname: GivenName, lastname: Surname, email: EmailAddress })),
  );
  const templates = readFileSync(new URL('templates/forms.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const rows: Row[] = [];
  for (const [name, goal, form] of FORMS) {
    const random = seeded(SEED);
    const people = everyone.filter((person) => form(person) !== undefined);
    let [cases, hidden] = [0, 0];
    for (const template of Array.from({ length: ROUNDS }, () => templates).flat()) {
      const written = form(pick(people, random)) ?? '';
      const start = template.indexOf('{name}') - 3;
      const text = template.slice(3).replace('{name}', written);
      const spans = await masker.find({ text, language: template.slice(0, 2), roster, categories: ALL });
      cases += 1;
      if (isHidden(text, { category: 'name', kind: name, start, end: start + written.length }, spans)) hidden += 1;
    }
    rows.push({ name: `names hidden with a full roster, ${name}`, goal, figure: percentOfCases(hidden, cases) });
  }
  return rows;
}
