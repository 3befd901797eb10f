import { emailKey } from '@survey/employee-record/email-key.ts';
import type { Draft, StoredEmployee } from './draft.ts';

/** The address an employee takes in the account; null for a removed one. */
export function activeEmailKey(employee: StoredEmployee): string | null {
  return employee.is_deleted ? null : emailKey(employee.email);
}

/** An employee as it was and as it would be. */
export interface Change {
  readonly stored: StoredEmployee | undefined;
  readonly draft: Draft;
}

/**
 * The ids of those who cannot have the address they would take, because somebody has it when all of the others have changed: `holders` are
 * the addresses of employees who do not change. Of several who would take one address, whoever has it now keeps it, else the lowest id gets it.
 */
export function findEmailConflicts(changes: readonly Change[], holders: ReadonlySet<string>): number[] {
  const taken = new Set(holders);
  const isKept = ({ stored, draft }: Change): boolean =>
    stored !== undefined && activeEmailKey(stored) === activeEmailKey(draft.employee);
  const first = (a: Change, b: Change): number =>
    Number(isKept(b)) - Number(isKept(a)) || a.draft.employee.id - b.draft.employee.id;
  const refused: number[] = [];
  for (const { draft } of changes.toSorted(first)) {
    const address = activeEmailKey(draft.employee);
    if (address === null) continue;
    if (taken.has(address)) refused.push(draft.employee.id);
    taken.add(address);
  }
  return refused;
}
