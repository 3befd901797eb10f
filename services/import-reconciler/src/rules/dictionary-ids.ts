import { createHash } from 'node:crypto';

/** Source of ids for new attributes and options. */
export interface DictionaryIds {
  attribute(key: string, isTaken: (id: number) => boolean): number;
  option(key: string, value: string, isTaken: (id: number) => boolean): number;
  // The ids that a new name could get, if they depend on the name: look up which are taken first.
  candidates(key: string, value: string | null): { readonly attributes: readonly number[]; readonly options: readonly number[] };
  // Whether this source has given out the id by counting, so that the attribute is new.
  isCounted(attributeId: number): boolean;
  // The next ids that the account counts from.
  next(): { attributeId: number; optionId: number };
}

const NO_CANDIDATES = { attributes: [], options: [] };

/** Creates sequential ids, for imports, whose records have an order. */
export function countedIds(next: { attributeId: number; optionId: number }): DictionaryIds {
  let { attributeId, optionId } = next;
  return {
    attribute: () => attributeId++,
    option: () => optionId++,
    candidates: () => NO_CANDIDATES,
    isCounted: (id) => id >= next.attributeId && id < attributeId,
    next: () => ({ attributeId, optionId }),
  };
}

// Ids from counters are below this.
export const FIRST_NAMED_ID = 2 ** 30;
const LAST_NAMED_ID = 2 ** 31 - 1;
// With ten million options, that many ids in a row are taken with a probability of 10^-16.
const CANDIDATES = 8;

/**
 * Creates ids from hashes of the names, for facts, which arrive in any order and must converge to
 * the same state. When two names have the same hash (probability 2^-30 per pair), the second gets
 * the next free id.
 */
export function namedIds(next: { attributeId: number; optionId: number }): DictionaryIds {
  return {
    attribute: (key, isTaken) => freeFrom(attributeNumber(key), isTaken),
    option: (key, value, isTaken) => freeFrom(optionNumber(key, value), isTaken),
    candidates: (key, value) => ({
      attributes: candidatesFrom(attributeNumber(key)),
      options: value === null ? [] : candidatesFrom(optionNumber(key, value)),
    }),
    isCounted: () => false,
    next: () => next,
  };
}

const optionNumber = (key: string, value: string): number => attributeNumber(`${key}\0${value}`);

function attributeNumber(name: string): number {
  const digest = createHash('sha256').update(name).digest();
  return FIRST_NAMED_ID + (digest.readUInt32BE() % (LAST_NAMED_ID - FIRST_NAMED_ID + 1));
}

function freeFrom(id: number, isTaken: (id: number) => boolean): number {
  let free = id;
  while (isTaken(free)) free = following(free);
  return free;
}

function candidatesFrom(id: number): number[] {
  const candidates = [id];
  while (candidates.length < CANDIDATES) candidates.push(following(candidates.at(-1) ?? id));
  return candidates;
}

const following = (id: number): number => (id === LAST_NAMED_ID ? FIRST_NAMED_ID : id + 1);
