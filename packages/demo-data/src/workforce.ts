import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as british } from '@faker-js/faker/locale/en_GB';
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as french } from '@faker-js/faker/locale/fr';
import { faker as italian } from '@faker-js/faker/locale/it';
import { faker as dutch } from '@faker-js/faker/locale/nl';
import { faker as polish } from '@faker-js/faker/locale/pl';
import { faker as swedish } from '@faker-js/faker/locale/sv';
import { DEPARTMENTS, importId, type OrganisationSize, type Position, positionOf } from './organisation.ts';
import { Random } from './random.ts';

const FAKERS: Readonly<Record<string, Faker>> = {
  de: german,
  en: british,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pl: polish,
  sv: swedish,
};

interface PersonName {
  firstname: string;
  lastname: string;
}

/** Invents a name that is usual in a language but belongs to no real person. */
export function inventName(language: string, random: Random): PersonName {
  const faker = FAKERS[language] ?? british;
  faker.seed(random.word());
  return { firstname: faker.person.firstName(), lastname: faker.person.lastName() };
}

/** Invents an undeliverable address; `tag` makes it unique. */
export function inventEmail({ firstname, lastname }: PersonName, tag: number | string): string {
  return `${mailName(firstname)}.${mailName(lastname)}.${tag}@example.com`;
}

// Letters that Unicode does not decompose into a plain letter and an accent.
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', ð: 'd', þ: 'th' };

function mailName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[ßłøæđðþ]/g, (letter) => PLAIN[letter] ?? '');
  return plain.normalize('NFD').replaceAll(/[^a-z]/g, '');
}

/** One employee in the format of `POST /v1/employees/imports`. */
export interface EmployeeRecord {
  import_id: string;
  email: string;
  firstname: string;
  lastname: string;
  language: string;
  reports_to_id: string | null;
  role: 'Admin' | 'Manager' | 'Analyst' | 'Report viewer' | 'Respondee';
  permissions?: { all_data: boolean; grants: { attribute: { name: string }; value: { name: string } }[] };
  attributes: { name: string; value: { name: string } }[];
}

const THIS_YEAR = 2026;

/** Yields the workforce of an invented company; team leaders may see their team's results. */
export function* workforce(size: OrganisationSize): Iterable<EmployeeRecord> {
  for (let index = 0; index < size.employees; index += 1) yield recordOf(positionOf(index, size), size.seed);
}

function recordOf(position: Position, seed: number): EmployeeRecord {
  const { index, site, supervisor } = position;
  const random = new Random(seed, 'person', index);
  const name = inventName(site.language, random);
  const born = random.int(THIS_YEAR - 64, THIS_YEAR - 18);
  const joined = random.int(Math.max(born + 17, THIS_YEAR - 40), THIS_YEAR - 1);
  return {
    import_id: importId(index),
    email: inventEmail(name, index + 1),
    ...name,
    language: site.language,
    reports_to_id: supervisor === undefined ? null : importId(supervisor),
    ...access(position),
    attributes: [
      attribute('Department', position.department),
      attribute('Location', site.location),
      attribute('Country', site.country),
      attribute('Job Family', position.family),
      attribute('Age Category', String(born)),
      attribute('Seniority', String(joined)),
    ],
  };
}

function access({ index, department, leads, site }: Position): Pick<EmployeeRecord, 'role' | 'permissions'> {
  if (index === 0) return { role: 'Admin', permissions: { all_data: true, grants: [] } };
  if (index <= DEPARTMENTS.length) return { role: 'Manager', permissions: grants(['Department', department]) };
  if (leads) return { role: 'Manager', permissions: grants(['Department', department], ['Location', site.location]) };
  if (index % 500 === 0) return { role: 'Analyst', permissions: { all_data: true, grants: [] } };
  if (index % 250 === 1) return { role: 'Report viewer', permissions: grants(['Country', site.country]) };
  return { role: 'Respondee' };
}

function grants(...pairs: [attribute: string, value: string][]): NonNullable<EmployeeRecord['permissions']> {
  return { all_data: false, grants: pairs.map(([name, value]) => ({ attribute: { name }, value: { name: value } })) };
}

function attribute(name: string, value: string): EmployeeRecord['attributes'][number] {
  return { name, value: { name: value } };
}
