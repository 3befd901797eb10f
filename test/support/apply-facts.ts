import type { FactKind } from '@survey/bus/streams.ts';
import { asIncoming, validateFacts, type ApplyFacts, type RejectedFact } from '@survey/bus/facts/fact.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';

type ApplyToAccount = (pool: Pool, accountId: number, facts: readonly Fact[]) => Promise<readonly RejectedFact[]>;

/**
 * Applies facts of a kind to an account as a service does with one message. All must be valid.
 * Returns those that cannot be applied.
 */
export function applying<K extends FactKind>(kind: K, apply: ApplyFacts<K>): ApplyToAccount {
  return async (pool, accountId, facts) => {
    const { valid, rejected } = validateFacts(kind, facts.map(asIncoming));
    if (rejected[0] !== undefined) throw new Error(`rejected: ${rejected[0].reason}`);
    return (await inAccount(pool, accountId, (tx) => apply(tx, accountId, valid))) ?? [];
  };
}
