import type { z } from 'zod';
import type { employeeLine } from '@survey/bus/lines/line.ts';
import { inventEmail, inventName } from './workforce.ts';
import { DEPARTMENTS, importId, SITES, type OrganisationSize, type Person } from './organisation.ts';
import { Random } from './random.ts';

type WrittenEmployee = z.input<typeof employeeLine> & { firstname: string; lastname: string };

/**
 * An employee created in the application, not by the import API, with an id below 1,000,000,000.
 */
interface Colleague extends Person {
  line: WrittenEmployee;
}

const ROLES = ['Employee', 'Admin', 'Analyst', 'Coach', null, 'Report viewer', 'Respondee'];
const WAYS = ['app', 'file', 'sftp', 'hcm'] as const;
const SKILLS = ['First aid', 'Fire safety', 'Sign language', 'Works council'];

/** One per hundred of the workforce; ids count from 1. */
export function countColleagues({ employees }: OrganisationSize): number {
  return Math.max(6, Math.ceil(employees / 100));
}

export function colleague(id: number, { employees, seed }: OrganisationSize): Colleague {
  const random = new Random(seed, 'colleague', id);
  const site = random.pick(SITES);
  const department = random.pick(DEPARTMENTS);
  const name = inventName(site.language, random);
  const created_via = WAYS[(id - 1) % WAYS.length] ?? 'app';
  return {
    reference: { id },
    department,
    site,
    joinedMonth: 0,
    line: {
      kind: 'employee',
      id,
      email: inventEmail(name, `a${id}`),
      ...name,
      role: ROLES[(id - 1) % ROLES.length] ?? null,
      language: site.language,
      is_deleted: random.chance(0.05),
      created_via,
      ...(created_via === 'app' ? {} : { import_id: `HR-${String(id).padStart(5, '0')}` }),
      attributes: [
        { name: 'Department', value: department },
        { name: 'Location', value: site.location },
        { name: 'Country', value: site.country },
        ...random.shuffled(SKILLS).slice(0, random.int(0, 2)).map(skill),
      ],
      supervisor: { import_id: importId(random.int(0, Math.min(employees - 1, DEPARTMENTS.length))) },
    },
  };
}

function skill(value: string): { name: string; value: string } {
  return { name: 'Skills', value };
}

export function* colleagues(size: OrganisationSize): Iterable<Colleague> {
  for (let id = 1; id <= countColleagues(size); id += 1) yield colleague(id, size);
}
