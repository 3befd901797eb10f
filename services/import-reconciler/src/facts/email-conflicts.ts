import { emailKey } from '@survey/formats/email-key.ts';
import type { Draft, StoredEmployee } from '../rules/draft.ts';

/** Returns the address that an employee occupies in the account; null when offboarded. */
export function activeEmailKey(employee: StoredEmployee): string | null {
  return employee.is_deleted ? null : emailKey(employee.email);
}

/** An employee before and after the change. */
export interface Change {
  readonly stored: StoredEmployee | undefined;
  readonly draft: Draft;
}

/**
 * Returns the ids of employees whose new address is taken once all changes are applied. `holders`
 * are addresses of employees that do not change. Of several claimants, the current holder keeps the
 * address; otherwise the lowest id gets it.
 */
export function findEmailConflicts(changes: readonly Change[], holders: ReadonlySet<string>): number[] {
  const taken = new Set(holders);
  const isKept = ({ stored, draft }: Change): boolean =>
    stored !== undefined && activeEmailKey(stored) === activeEmailKey(draft.employee);
  const first = (a: Change, b: Change): number =>
    Number(isKept(b)) - Number(isKept(a)) || a.draft.employee.id - b.draft.employee.id;
  const rejected: number[] = [];
  for (const { draft } of changes.toSorted(first)) {
    const address = activeEmailKey(draft.employee);
    if (address === null) continue;
    if (taken.has(address)) rejected.push(draft.employee.id);
    taken.add(address);
  }
  return rejected;
}
