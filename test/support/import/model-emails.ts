import type { Person } from './organisation.ts';
import { ADDRESS_OF } from './vocabulary.ts';

/** A valid record that would change its employee's address. */
interface Mover {
  readonly index: number;
  // Undefined when the record creates the employee.
  readonly personId: number | undefined;
  readonly email: string;
}

export function isSameAddress(a: string, b: string): boolean {
  return ADDRESS_OF[a]?.same === ADDRESS_OF[b]?.same;
}

/**
 * Returns the records that get their address (docs/rules/import-emails.md), by trying every subset.
 * A subset is valid when no two employees share an address afterwards and none takes the address of
 * an earlier record. Members of any valid subset move.
 */
export function moversThatMove(stayers: readonly Person[], movers: readonly Mover[]): ReadonlySet<number> {
  const moving = new Set<number>();
  for (const choice of choices(movers)) {
    if (isGood(choice, stayers, movers)) for (const { index } of choice) moving.add(index);
  }
  const all = movers.filter(({ index }) => moving.has(index));
  if (!isGood(all, stayers, movers)) throw new Error('the good choices contradict each other: the rule itself is not clear');
  return moving;
}

function isGood(choice: readonly Mover[], stayers: readonly Person[], movers: readonly Mover[]): boolean {
  const left = stayers.filter(({ id }) => !choice.some(({ personId }) => personId === id));
  const addresses = [...left, ...choice].map(({ email }) => ADDRESS_OF[email]?.same);
  const isFirst = (mover: Mover): boolean =>
    !movers.some((other) => other.index < mover.index && isSameAddress(other.email, mover.email));
  return new Set(addresses).size === addresses.length && choice.every(isFirst);
}

function choices<T>(items: readonly T[]): T[][] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  const without = choices(rest);
  return [...without, ...without.map((choice) => [first, ...choice])];
}
