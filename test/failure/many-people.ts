import type { SentRecord } from '../support/import/organisation.ts';

/** A plain snapshot of people 1 to so many. */
export function manyPeople(count: number): SentRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    import_id: `P${at + 1}`,
    email: `p${at + 1}@x.io`,
    firstname: 'Ann',
    lastname: 'Lee',
  }));
}
