/**
 * Decides between two facts about one object: the higher revision, then the bytewise higher digest.
 */
export interface Version {
  readonly revision: number;
  // SHA-256 of the fact as received, without its revision and its line.
  readonly digest: Buffer;
}

export function isNewer(one: Version, other: Version | undefined): boolean {
  if (other === undefined || one.revision !== other.revision) return other === undefined || one.revision > other.revision;
  return Buffer.compare(one.digest, other.digest) > 0;
}

/** Keeps the newest fact per object: one SQL statement can write a row only once. */
export function latestByKey<F extends Version>(facts: readonly F[], keyOf: (fact: F) => string | number): F[] {
  const latest = new Map<string | number, F>();
  for (const fact of facts) {
    const key = keyOf(fact);
    if (isNewer(fact, latest.get(key))) latest.set(key, fact);
  }
  return [...latest.values()];
}
