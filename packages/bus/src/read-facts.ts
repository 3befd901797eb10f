import type { IncomingFact, RejectedFact } from './intake.ts';

/**
 * What decides between two facts about one thing: the higher revision, then the digest that
 * compares higher byte by byte.
 */
export type Version = Pick<IncomingFact, 'revision' | 'digest'>;

/** Reads facts one by one, and sets those apart that can never be applied. */
export function parseFacts<F extends { readonly incoming: IncomingFact }>(
  facts: readonly IncomingFact[],
  read: (incoming: IncomingFact) => F | RejectedFact,
): { valid: F[]; rejected: RejectedFact[] } {
  const valid: F[] = [];
  const rejected: RejectedFact[] = [];
  for (const fact of facts) {
    const one = read(fact);
    if ('reason' in one) rejected.push(one);
    else valid.push(one);
  }
  return { valid, rejected };
}

export function isNewer(one: Version, other: Version): boolean {
  if (one.revision !== other.revision) return one.revision > other.revision;
  return Buffer.compare(one.digest, other.digest) > 0;
}

/** Of several facts about one thing the one that counts: a statement can write a row only once. */
export function latestByKey<F extends { readonly incoming: Version }>(
  facts: readonly F[],
  keyOf: (fact: F) => string | number,
): F[] {
  const kept = new Map<string | number, F>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const other = kept.get(key);
    if (other === undefined || isNewer(fact.incoming, other.incoming)) kept.set(key, fact);
  }
  return [...kept.values()];
}
