import { createHash } from 'node:crypto';

/** Source of ids for new attributes and options. */
export interface DictionaryIds {
  attribute(key: string, isTaken: (id: number) => boolean): number;
  option(key: string, value: string, isTaken: (id: number) => boolean): number;
  // The next ids that the account counts from.
  next(): { attributeId: number; optionId: number };
}

/** Creates sequential ids, for imports, whose records have an order. */
export function countedIds(next: { attributeId: number; optionId: number }): DictionaryIds {
  let { attributeId, optionId } = next;
  return { attribute: () => attributeId++, option: () => optionId++, next: () => ({ attributeId, optionId }) };
}

// Counted ids stay below this.
export const FIRST_NAMED_ID = 2 ** 30;
const LAST_NAMED_ID = 2 ** 31 - 1;

/**
 * Creates ids from hashes of the names, for facts, which arrive in any order and must converge to
 * the same state. When two names have the same hash (probability 2^-30 per pair), the second gets
 * the next free id.
 */
export function namedIds(next: { attributeId: number; optionId: number }): DictionaryIds {
  return {
    attribute: (key, isTaken) => freeFrom(numberOf(key), isTaken),
    option: (key, value, isTaken) => freeFrom(numberOf(`${key}\0${value}`), isTaken),
    next: () => next,
  };
}

function numberOf(name: string): number {
  const digest = createHash('sha256').update(name).digest();
  return FIRST_NAMED_ID + (digest.readUInt32BE() % (LAST_NAMED_ID - FIRST_NAMED_ID + 1));
}

function freeFrom(id: number, isTaken: (id: number) => boolean): number {
  let free = id;
  while (isTaken(free)) free = free === LAST_NAMED_ID ? FIRST_NAMED_ID : free + 1;
  return free;
}
