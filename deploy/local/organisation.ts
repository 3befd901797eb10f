import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as austrian } from '@faker-js/faker/locale/de_AT';
import { faker as british } from '@faker-js/faker/locale/en_GB';
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as french } from '@faker-js/faker/locale/fr';
import { faker as italian } from '@faker-js/faker/locale/it';
import { faker as polish } from '@faker-js/faker/locale/pl';
import { faker as swedish } from '@faker-js/faker/locale/sv';

/** One employee as `POST /v1/employees/imports` takes it. */
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

interface Site {
  readonly location: string;
  readonly country: string;
  readonly language: string;
  readonly faker: Faker;
}

const SITES: readonly Site[] = [
  { location: 'Berlin', country: 'Germany', language: 'de', faker: german },
  { location: 'Leipzig', country: 'Germany', language: 'de', faker: german },
  { location: 'Graz', country: 'Austria', language: 'de', faker: austrian },
  { location: 'Leeds', country: 'United Kingdom', language: 'en', faker: british },
  { location: 'Valencia', country: 'Spain', language: 'es', faker: spanish },
  { location: 'Lyon', country: 'France', language: 'fr', faker: french },
  { location: 'Turin', country: 'Italy', language: 'it', faker: italian },
  { location: 'Kraków', country: 'Poland', language: 'pl', faker: polish },
  { location: 'Malmö', country: 'Sweden', language: 'sv', faker: swedish },
];

const JOB_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  Production: ['Assembly', 'Maintenance', 'Quality'],
  Logistics: ['Warehouse', 'Transport', 'Planning'],
  Sales: ['Field Sales', 'Inside Sales', 'Key Accounts'],
  'Customer Care': ['Support', 'Repair'],
  Engineering: ['Software', 'Mechanics', 'Electronics'],
  Finance: ['Controlling', 'Accounting'],
  'People & Culture': ['Recruiting', 'Payroll', 'Learning'],
  Purchasing: ['Sourcing', 'Suppliers'],
};
const DEPARTMENTS = Object.keys(JOB_FAMILIES);
const REPORTS_PER_SUPERVISOR = 8;
const THIS_YEAR = 2026;

/**
 * The workforce of an invented company, the same for the same seed: supervisors form a tree below the first employee, and those who
 * lead a team may see its results. No name is anybody's on purpose; all e-mail addresses are at example.com.
 */
export function organisation(size: number, seed: number): EmployeeRecord[] {
  for (const { faker } of SITES) faker.seed(seed);
  const pick = british.helpers.arrayElement.bind(british.helpers);
  const departmentOf: string[] = [];
  return Array.from({ length: size }, (_, index) => {
    const supervisor = index === 0 ? undefined : Math.floor((index - 1) / REPORTS_PER_SUPERVISOR);
    // Everybody works in the department of their supervisor; those right below the first employee head one each.
    const inherited = supervisor === undefined || supervisor === 0 ? undefined : departmentOf[supervisor];
    const department = inherited ?? DEPARTMENTS[Math.max(0, index - 1) % DEPARTMENTS.length] ?? '';
    departmentOf.push(department);
    const leads = index * REPORTS_PER_SUPERVISOR + 1 < size;
    return employee({ index, supervisor, department, leads, site: pick(SITES), family: pick(JOB_FAMILIES[department] ?? []) });
  });
}

interface Position {
  readonly index: number;
  readonly supervisor: number | undefined;
  readonly department: string;
  readonly leads: boolean;
  readonly site: Site;
  readonly family: string;
}

function employee(position: Position): EmployeeRecord {
  const { index, supervisor, site } = position;
  const { faker } = site;
  const firstname = faker.person.firstName();
  const lastname = faker.person.lastName();
  const born = faker.number.int({ min: THIS_YEAR - 64, max: THIS_YEAR - 18 });
  const joined = faker.number.int({ min: Math.max(born + 17, THIS_YEAR - 40), max: THIS_YEAR - 1 });
  return {
    import_id: importId(index),
    email: `${mailName(firstname)}.${mailName(lastname)}.${index + 1}@example.com`,
    firstname,
    lastname,
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

function importId(index: number): string {
  return `P${String(index + 1).padStart(6, '0')}`;
}

// Letters that Unicode does not split into a plain letter and its accent.
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', ð: 'd', þ: 'th' };

function mailName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[ßłøæđðþ]/g, (letter) => PLAIN[letter] ?? '');
  return plain.normalize('NFD').replaceAll(/[^a-z]/g, '');
}
