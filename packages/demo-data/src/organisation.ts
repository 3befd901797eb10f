import { Random } from './random.ts';

interface Site {
  readonly location: string;
  readonly country: string;
  readonly language: string;
}

/**
 * Sites of the organisation. Snapshots use these languages; free text is written in the five
 * languages of texts/.
 */
export const SITES: readonly Site[] = [
  { location: 'Berlin', country: 'Germany', language: 'de' },
  { location: 'Leipzig', country: 'Germany', language: 'de' },
  { location: 'Graz', country: 'Austria', language: 'de' },
  { location: 'Leeds', country: 'United Kingdom', language: 'en' },
  { location: 'Valencia', country: 'Spain', language: 'es' },
  { location: 'Lyon', country: 'France', language: 'fr' },
  { location: 'Utrecht', country: 'Netherlands', language: 'nl' },
  { location: 'Turin', country: 'Italy', language: 'it' },
  { location: 'Kraków', country: 'Poland', language: 'pl' },
  { location: 'Malmö', country: 'Sweden', language: 'sv' },
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
export const DEPARTMENTS = Object.keys(JOB_FAMILIES);
const REPORTS_PER_SUPERVISOR = 8;
// Share of employees who joined during the dataset's months.
const JOINED_DURING = 0.15;

/** Parameters of an organisation: the same values give the same organisation. */
export interface OrganisationSize {
  employees: number;
  months: number;
  seed: number;
}

/** A person whom a survey can ask. */
export interface Person {
  readonly reference: { readonly id: number } | { readonly import_id: string };
  readonly department: string;
  readonly site: Site;
  // Month in which they joined, from 0; earlier employees have 0.
  readonly joinedMonth: number;
}

/** An employee whom the import API creates. */
export interface Position extends Person {
  // Index from 0; the first one heads the company.
  readonly index: number;
  readonly supervisor: number | undefined;
  readonly family: string;
  readonly leads: boolean;
}

/**
 * Returns the employee at an index. Supervisors form a tree below the first employee; employees
 * work in their supervisor's department.
 */
export function positionOf(index: number, { employees, months, seed }: OrganisationSize): Position {
  const random = new Random(seed, 'position', index);
  const department = DEPARTMENTS[Math.max(0, headOf(index) - 1) % DEPARTMENTS.length] ?? '';
  return {
    index,
    reference: { import_id: importId(index) },
    supervisor: supervisorOf(index),
    department,
    family: random.pick(JOB_FAMILIES[department] ?? []),
    site: random.pick(SITES),
    leads: index * REPORTS_PER_SUPERVISOR + 1 < employees,
    joinedMonth: index > 0 && random.chance(JOINED_DURING) ? random.int(0, months - 1) : 0,
  };
}

/** E1, E2, E3 … */
export function importId(index: number): string {
  return `E${index + 1}`;
}

function supervisorOf(index: number): number | undefined {
  return index === 0 ? undefined : Math.floor((index - 1) / REPORTS_PER_SUPERVISOR);
}

// The head of the department: an employee who reports to the first one.
function headOf(index: number): number {
  let head = index;
  while (head > REPORTS_PER_SUPERVISOR) head = Math.floor((head - 1) / REPORTS_PER_SUPERVISOR);
  return head;
}
