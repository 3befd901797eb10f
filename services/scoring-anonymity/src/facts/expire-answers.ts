import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import { allowLongStatements, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { lockAccountState, saveAccountState } from './account-state.ts';

const MAX_STATEMENT_MS = 900_000;

/**
 * Deletes answers that are older than their account keeps them, all of a cycle in one transaction:
 * a score of a part of them could reveal the others (rule DATA-RETENTION-2).
 */
export const answerRetention = (pool: Pool, defaultDays: number, metrics: Metrics): AccountWork =>
  retentionWork(
    pool,
    {
      kind: 'answers',
      expired: 'scoring.expired_answers',
      defaultDays,
      deleteExpired: async (tx, accountId) => {
        await allowLongStatements(tx, MAX_STATEMENT_MS);
        const state = await lockAccountState(tx, accountId);
        const cycle = await findExpiredCycle(tx, accountId, defaultDays);
        if (cycle === undefined) return undefined;
        state.answers -= await deleteExpiredCycle(tx, accountId, cycle);
        // More changes than a cache can follow: every process loads the account's answers again.
        state.sequence += MAX_CHANGES + 1;
        await saveAccountState(tx, accountId, state);
        return 0;
      },
    },
    metrics,
  );

interface ExpiredCycle {
  readonly id: string;
  // Answers submitted earlier have expired; microseconds since 1970. Null: all, for a closed cycle.
  readonly beforeUs: number | null;
}

/** Returns a cycle of the account with expired answers. */
async function findExpiredCycle(tx: Client, accountId: number, defaultDays: number): Promise<ExpiredCycle | undefined> {
  const { rows } = await tx.query<ExpiredCycle>(
    `select cycle_id as id, before_us as "beforeUs" from scoring.expired_cycles($1::bigint, $2::float8) limit 1`,
    [accountId, defaultDays],
  );
  return rows[0];
}

const DELETE = `
with response as (
  delete from scoring.response
  where account_id = $1::bigint and cycle_id = $2::uuid and ($3::bigint is null or submitted_us < $3::bigint) returning ordinal
)
delete from scoring.answer where account_id = $1::bigint and response = any(array(select ordinal from response))`;

const DELETE_BLOCKS = `
with expired as (
  delete from scoring.block where account_id = $1::bigint and cycle_id = $2::uuid
)
update scoring.settled_cycle set lowest_block = null, highest_block = null where account_id = $1::bigint and id = $2::uuid`;

/**
 * Deletes the expired answers of a cycle, and the blocks of a closed one. Returns the number of
 * answers. The caller makes every cache load the account again, so no removed answer is needed.
 */
async function deleteExpiredCycle(tx: Client, accountId: number, { id, beforeUs }: ExpiredCycle): Promise<number> {
  if (beforeUs === null) await tx.query(DELETE_BLOCKS, [accountId, id]);
  await tx.query('delete from scoring.removed_answer where account_id = $1::bigint', [accountId]);
  const { rowCount } = await tx.query(DELETE, [accountId, id, beforeUs]);
  return rowCount ?? 0;
}
