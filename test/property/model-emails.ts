import type { Person } from './organisation.ts';
import { ADDRESS_OF } from './vocabulary.ts';

/** A record that is not refused for itself, and whose person would get another address by it. */
export interface Mover {
  readonly index: number;
  // Undefined when the record creates the person.
  readonly personId: number | undefined;
  readonly email: string;
}

export function isSameAddress(a: string, b: string): boolean {
  return ADDRESS_OF[a]?.same === ADDRESS_OF[b]?.same;
}

/**
 * Which movers get their address (docs/rules/import-emails.md), by trying every choice of them: a choice is good when nobody shares an address once
 * exactly these have moved, and none of them takes an address from somebody before him in the list. What is in any good choice moves.
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
