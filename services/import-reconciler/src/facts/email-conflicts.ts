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
 * Who has an address once all changes are applied: nobody of them, if an employee who does not
 * change holds it; of several claimants the one who keeps it, otherwise the one with the lowest id.
 * A change is compared once for each address that it claims, however long the chain of addresses.
 */
export class AddressClaims<T> {
  readonly #holders: ReadonlySet<string>;
  readonly #first = new Map<string, Change & { readonly claimant: T }>();
  readonly #unserved: T[] = [];

  constructor(holders: ReadonlySet<string>) {
    this.#holders = holders;
  }

  add(claimant: T, change: Change): void {
    const address = activeEmailKey(change.draft.employee);
    if (address === null) return;
    const first = this.#first.get(address);
    if (this.#holders.has(address) || (first !== undefined && !isBefore(change, first))) {
      this.#unserved.push(claimant);
      return;
    }
    if (first !== undefined) this.#unserved.push(first.claimant);
    this.#first.set(address, { ...change, claimant });
  }

  /** Returns one who does not get the address and must claim another one, if any. */
  takeUnserved(): T | undefined {
    return this.#unserved.pop();
  }
}

function isBefore(one: Change, other: Change): boolean {
  const isKept = ({ stored, draft }: Change): boolean =>
    stored !== undefined && activeEmailKey(stored) === activeEmailKey(draft.employee);
  return isKept(one) === isKept(other) ? one.draft.employee.id < other.draft.employee.id : isKept(one);
}
