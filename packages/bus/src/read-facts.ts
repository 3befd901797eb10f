import type { IncomingFact, RejectedFact } from './intake.ts';

/**
 * Decides between two facts about one object: the higher revision, then the bytewise higher digest.
 */
export type Version = Pick<IncomingFact, 'revision' | 'digest'>;

/** Parses facts one by one and separates the rejected ones. */
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

/** Keeps the newest fact per object: one SQL statement can write a row only once. */
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
