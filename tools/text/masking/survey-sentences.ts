import { readFileSync } from 'node:fs';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory, type Span } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { readIdentities, type Identity } from './identities.ts';
import { nationalId, seeded, type Random } from './random-ids.ts';
import { percentOfCases, type Row } from './row.ts';

const COUNTRIES = {
  en: ['US', 'GB'],
  de: ['DE', 'AT'],
  fr: ['FR'],
  es: ['ES'],
  nl: ['NL'],
  pt: ['PT', 'BR'],
  da: ['DK'],
  sv: ['SE'],
  it: ['IT'],
  pl: ['PL'],
} as const;
export type Language = keyof typeof COUNTRIES;
const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es', 'nl'];
// Their rules were written without templates to tune them on.
const UNTUNED: readonly Language[] = ['pt', 'da', 'sv'];
// Languages of the second author's templates, which no rule was tuned on.
const ALL_LANGUAGES: readonly Language[] = [...LANGUAGES, ...UNTUNED, 'it', 'pl'];
const ALL = new Set(PERSONAL_CATEGORIES);
const ROUNDS = 50;
const SEED = 20_260;
const GOALS = [
  { coverage: 0, goal: '>= 85', smallGoal: '>= 90' },
  { coverage: 0.85, goal: '>= 97' },
  { coverage: 1, goal: '>= 99', smallGoal: '>= 97' },
];

export interface Value {
  readonly category: PersonalCategory;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

export interface Sentence {
  readonly text: string;
  readonly language: Language;
  readonly values: readonly Value[];
  readonly people: readonly Identity[];
}

const CATEGORY_OF: Readonly<Record<string, PersonalCategory>> = {
  first: 'name',
  last: 'name',
  full: 'name',
  small: 'name',
  email: 'email',
  phone: 'phone',
  street: 'address',
  zip: 'address',
  city: 'address',
  employee: 'id',
  id: 'id',
};

/** Writes answers from templates and identities that no rule or list was derived from. */
export function writeSentences(data: string, language: Language, part = ''): Sentence[] {
  const random = seeded(SEED);
  const everyone = readIdentities(data).filter(({ GivenName, Surname }) => GivenName !== '' && Surname !== '');
  const locals = everyone.filter(({ Country }) => COUNTRIES[language].some((country) => country === Country));
  const templates = readFileSync(new URL(`templates/${part}${language}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return Array.from({ length: ROUNDS }, () =>
    templates.map((template) => fill(template, language, everyone, pick(locals, random), random)),
  ).flat();
}

export function pick<T>(from: readonly T[], random: Random): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error('cannot pick an identity: none of this country');
  return picked;
}

function fill(template: string, language: Language, everyone: readonly Identity[], local: Identity, random: Random): Sentence {
  const values: Value[] = [];
  const people: Identity[] = [];
  let text = '';
  let after = 0;
  let person = pick(everyone, random);
  for (const { 0: place, 1: kind = '', index } of template.matchAll(/\{(\w+)\}/g)) {
    text += template.slice(after, index);
    after = index + place.length;
    if (kind !== 'last' || template[index - 1] !== ' ' || !text.endsWith(`${person.GivenName} `)) person = pick(everyone, random);
    const value = valueOf(kind, person, local, language, random);
    const category = CATEGORY_OF[kind] ?? 'name';
    if (category === 'name') people.push(person);
    values.push({ category, kind, start: text.length, end: text.length + value.length });
    text += value;
  }
  return { text: text + template.slice(after), language, values, people };
}

function valueOf(kind: string, person: Identity, local: Identity, language: string, random: Random): string {
  if (kind === 'first') return person.GivenName;
  if (kind === 'last') return person.Surname;
  if (kind === 'full') return `${person.GivenName} ${person.Surname}`;
  if (kind === 'small') return person.GivenName.toLowerCase();
  if (kind === 'email') return person.EmailAddress;
  if (kind === 'phone') return local.TelephoneNumber;
  if (kind === 'street') return local.StreetAddress;
  if (kind === 'zip') return local.ZipCode;
  if (kind === 'city') return local.City;
  if (kind === 'employee') return `${pick(['', 'E', 'P-', '10-', 'MA'], random)}${10_000 + Math.floor(random() * 890_000)}`;
  return nationalId(language, random);
}

export async function maskSentences(
  masker: Masker,
  sentences: readonly Sentence[],
  coverage: number,
): Promise<(Sentence & { readonly spans: readonly Span[] })[]> {
  const random = seeded(SEED + 1);
  const people = sentences.flatMap((sentence) => sentence.people).filter(() => random() < coverage);
  const roster = new Roster(
    people.map(({ GivenName, Surname, EmailAddress }) => ({ firstname: GivenName, lastname: Surname, email: EmailAddress })),
  );
  return Promise.all(
    sentences.map(async (sentence) => ({
      ...sentence,
      spans: await masker.find({ ...sentence, roster, categories: ALL }),
    })),
  );
}

/**
 * Checks whether spans of any category cover every letter and digit of the value, so that none
 * stays visible.
 */
export function isHidden(text: string, { start, end }: Value, spans: readonly Span[]): boolean {
  for (let at = start; at < end; at++) {
    if (/[\p{L}\p{N}]/u.test(text[at] ?? '') && !spans.some((span) => span.start <= at && at < span.end)) return false;
  }
  return true;
}

/** Measures the share of values that are masked, by language and by the roster's coverage. */
export async function evaluateSentences(masker: Masker, data: string): Promise<Row[]> {
  const rows: Row[] = [];
  const add = async (what: string, goal: string, sentences: readonly Sentence[], coverage: number): Promise<void> => {
    const masked = await maskSentences(masker, sentences, coverage);
    rows.push({
      name: `${sentences[0]?.language}, roster ${coverage * 100} %: names hidden, ${what}`,
      goal,
      figure: hidden(masked, 'name'),
    });
  };
  for (const { coverage, goal, smallGoal } of GOALS) {
    for (const language of [...LANGUAGES, ...UNTUNED]) {
      const unseen = writeSentences(data, language, 'held-out.');
      if (LANGUAGES.includes(language))
        await add('templates that were looked at', goal, writeSentences(data, language), coverage);
      await add('templates held out', goal, unseen, coverage);
      if (smallGoal !== undefined) await add('templates held out, all in lower case', smallGoal, inLowerCase(unseen), coverage);
    }
  }
  for (const language of LANGUAGES) {
    const masked = await maskSentences(masker, writeSentences(data, language), 0);
    for (const category of ['email', 'phone', 'address', 'id'] as const) {
      rows.push({ name: `${language}: ${category} hidden`, goal: '-', figure: hidden(masked, category) });
    }
  }
  return rows;
}

/** Measures the names of the second author's templates, which no rule was tuned on. */
export async function evaluateSecondSentences(masker: Masker, data: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { coverage, goal } of GOALS) {
    for (const language of ALL_LANGUAGES) {
      const sentences = writeSentences(data, language, 'second.');
      const figure = hidden(await maskSentences(masker, sentences, coverage), 'name');
      rows.push({ name: `${language}, roster ${coverage * 100} %: names hidden`, goal, figure });
      if (coverage === 0.85) continue;
      const small = hidden(await maskSentences(masker, inLowerCase(sentences), coverage), 'name');
      rows.push({ name: `${language}, roster ${coverage * 100} %: names hidden, all in lower case`, goal, figure: small });
    }
  }
  return rows;
}

// Letters whose lower case is longer would move the values.
export function inLowerCase(sentences: readonly Sentence[]): Sentence[] {
  const small = sentences.map((sentence) => ({ ...sentence, text: sentence.text.toLowerCase() }));
  return small.filter(({ text }, at) => text.length === sentences[at]?.text.length);
}

function hidden(masked: readonly (Sentence & { readonly spans: readonly Span[] })[], category: PersonalCategory): string {
  let all = 0;
  let hit = 0;
  for (const { text, values, spans } of masked) {
    for (const value of values.filter((one) => one.category === category)) {
      all++;
      if (isHidden(text, value, spans)) hit++;
    }
  }
  return percentOfCases(hit, all);
}
