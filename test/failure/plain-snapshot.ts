import type { SentRecord } from '../support/import/organisation.ts';

/** Returns a snapshot of employees 1 to `count` without attributes. */
export function plainSnapshot(count: number): SentRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    import_id: `P${index + 1}`,
    email: `p${index + 1}@x.io`,
    firstname: 'Ann',
    lastname: 'Lee',
  }));
}
