import type { SentRecord } from '../support/import/organisation.ts';
import { IMPORT_IDS } from '../support/import/vocabulary.ts';

/** A plain snapshot of the first so many people. */
export function snapshotOf(people: number): SentRecord[] {
  return IMPORT_IDS.slice(0, people).map((import_id, at) => ({
    import_id,
    email: `e${at + 1}@x.io`,
    firstname: 'Ann',
    lastname: 'Lee',
  }));
}
