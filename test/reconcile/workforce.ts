import { expect } from 'vitest';
import type { Circumstances, ImportOutcome, Person, SentRecord } from '../support/import/organisation.ts';
import {
  createReconcilingAccount,
  type ReconcilerDatabase,
  type ReconcilingAccount,
} from '../support/import/reconciling-account.ts';

/** Circumstances in which no import is cancelled: any number of employees may be offboarded. */
export const AROUND: Circumstances = { year: 2026, defaultLanguage: 'de', threshold: '100', deletesAllowed: false };

/** Returns the test record R(n). */
export function R(n: number, more: Partial<SentRecord> = {}): SentRecord {
  return { import_id: `E${n}`, email: `e${n}@x.io`, firstname: `F${n}`, lastname: `L${n}`, ...more };
}

export function attribute(name: string, value: string | null): { name: string; value: { name: string } | null } {
  return { name, value: value === null ? null : { name: value } };
}

export function grant(name: string, value: string): { attribute: { name: string }; value: { name: string } } {
  return { attribute: { name }, value: { name: value } };
}

/** An account whose imports are applied. */
export interface Workforce {
  readonly account: ReconcilingAccount;
  readonly import: (records: readonly SentRecord[], around?: Partial<Circumstances>) => Promise<ImportOutcome>;
  // The employee of the import API.
  readonly person: (importId: string) => Promise<Person>;
  // 'code pointer' of all issues of a record.
  readonly warnings: (outcome: ImportOutcome, index: number) => readonly string[];
}

export async function newWorkforce(database: ReconcilerDatabase, first: readonly SentRecord[] = []): Promise<Workforce> {
  const account = await createReconcilingAccount(database);
  const send: Workforce['import'] = async (records, around = {}) => {
    const outcome = await account.importSnapshot(records, { ...AROUND, ...around });
    expect(outcome.state).toBe('applied');
    return outcome;
  };
  if (first.length > 0) await send(first);
  return {
    account,
    import: send,
    person: async (importId) => {
      const { people } = await account.read();
      const found = people.find((person) => person.createdVia === 'import_api' && person.importId === importId);
      if (found === undefined) throw new Error(`${importId} is not there`);
      return found;
    },
    warnings: (outcome, index) => outcome.records.find((record) => record.index === index)?.warnings ?? [],
  };
}
