import { createHash } from 'node:crypto';

/** Where the ids of new attributes and options come from. */
export interface DictionaryIds {
  attribute(key: string, isTaken: (id: number) => boolean): number;
  option(key: string, value: string, isTaken: (id: number) => boolean): number;
  // What the account counts on from.
  next(): { attributeId: number; optionId: number };
}

/** 1, 2, 3 …: for imports, whose list has an order. */
export function countedIds(next: { attributeId: number; optionId: number }): DictionaryIds {
  let { attributeId, optionId } = next;
  return { attribute: () => attributeId++, option: () => optionId++, next: () => ({ attributeId, optionId }) };
}

// Counted ids stay below.
export const FIRST_NAMED_ID = 2 ** 30;
const LAST_NAMED_ID = 2 ** 31 - 1;

/**
 * Made from the names themselves: for facts, which come in any order and must end in the same state. Of two names with one number, some one
 * pair in 2^30, the second gets the next number.
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
