import type { IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import type { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { InvalidFactError } from './fields.ts';

/**
 * Order of two facts about one object: the higher revision wins, then the digest that is higher
 * byte by byte.
 */
export interface Version {
  readonly revision: number;
  readonly digest: Buffer;
}

export interface ReadFact<Row> {
  readonly row: Row;
  readonly version: Version;
  readonly fact: Fact;
  readonly source: string;
  readonly line: number;
}

/**
 * Reads facts one by one. `read` throws InvalidFactError for a fact that can never be applied, and
 * returns undefined for a fact of another kind.
 */
export function readFacts<Row>(
  facts: readonly IncomingFact[],
  read: (fact: Fact) => Row | undefined,
): { readable: ReadFact<Row>[]; rejected: RejectedFact[] } {
  const readable: ReadFact<Row>[] = [];
  const rejected: RejectedFact[] = [];
  for (const incoming of facts) {
    const { fact, revision, digest, source, line } = incoming;
    const outcome = attempt(fact, read);
    if (outcome instanceof InvalidFactError) rejected.push({ incoming, reason: outcome.message });
    else readable.push({ row: outcome, version: { revision, digest }, fact, source, line });
  }
  return { readable, rejected };
}

function attempt<Row>(fact: Fact, read: (fact: Fact) => Row | undefined): Row | InvalidFactError {
  try {
    return read(fact) ?? new InvalidFactError('is a fact of another kind than its subject');
  } catch (error) {
    if (error instanceof InvalidFactError) return error;
    throw error;
  }
}

/**
 * Returns the newest fact about each object, because one SQL statement can write a row only once.
 */
export function newest<F extends { readonly version: Version }>(facts: readonly F[], keyOf: (fact: F) => string | number): F[] {
  const kept = new Map<string | number, F>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const other = kept.get(key);
    if (other === undefined || isNewer(fact.version, other.version)) kept.set(key, fact);
  }
  return [...kept.values()];
}

function isNewer(one: Version, other: Version): boolean {
  if (one.revision !== other.revision) return one.revision > other.revision;
  return Buffer.compare(one.digest, other.digest) > 0;
}
