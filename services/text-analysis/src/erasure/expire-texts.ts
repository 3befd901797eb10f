import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import { allowLongStatements, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';

const MAX_STATEMENT_MS = 900_000;

/**
 * Deletes texts that are older than their account keeps them, all of a cycle together: the order in
 * which they disappear must not reveal when they were written (rule DATA-RETENTION-2).
 */
export const textRetention = (pool: Pool, defaultDays: number, metrics: Metrics): AccountWork =>
  retentionWork(
    pool,
    {
      kind: 'texts',
      expired: 'text.expired_texts',
      defaultDays,
      deleteExpired: async (tx, accountId) => {
        await allowLongStatements(tx, MAX_STATEMENT_MS);
        const state = await lockAccountState(tx, accountId);
        const expired = await findExpiredResponses(tx, accountId, defaultDays);
        if (expired.length === 0) return undefined;
        await deleteResponses(tx, accountId, expired);
        // More changes than a cache can follow: every process loads the account's answers again.
        state.sequence += MAX_CHANGES + 1;
        await saveAccountState(tx, accountId, state);
        return 0;
      },
    },
    metrics,
  );

/** Returns the ids of the expired responses of one cycle of the account. */
async function findExpiredResponses(tx: Client, accountId: number, defaultDays: number): Promise<string[]> {
  const { rows: cycles } = await tx.query<{ cycle: number; before_month: string | null }>(
    'select cycle, before_month::text from text.expired_cycles($1::bigint, $2::float8) limit 1',
    [accountId, defaultDays],
  );
  const [expired] = cycles;
  if (expired === undefined) return [];
  const { rows } = await tx.query<{ id: string }>(
    'select id from text.response where account_id = $1::bigint and cycle = $2::integer and ($3::date is null or submitted_month < $3::date)',
    [accountId, expired.cycle, expired.before_month],
  );
  return rows.map(({ id }) => id);
}

const OF_ANSWERS = ['pending', 'given_up', 'topic_assignment', 'masked_text'];

/** Deletes responses, all results of their texts, and the decisions about their topics. */
export async function deleteResponses(tx: Client, accountId: number, responseIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    'select id from text.answer where account_id = $1::bigint and response_id = any($2::uuid[])',
    [accountId, responseIds],
  );
  const answers = rows.map(({ id }) => id);
  for (const table of OF_ANSWERS)
    await tx.query(`delete from text.${table} where account_id = $1::bigint and answer = any($2::integer[])`, [
      accountId,
      answers,
    ]);
  await tx.query('delete from text.answer where account_id = $1::bigint and id = any($2::integer[])', [accountId, answers]);
  await tx.query('delete from text.response where account_id = $1::bigint and id = any($2::uuid[])', [accountId, responseIds]);
  // Decisions about topics that wait: their object_id begins with the id of the response.
  await tx.query(
    `delete from text.deferred_fact
     where account_id = $1::bigint and kind = 'topic_assignment' and split_part(object_id, ' ', 1) = any($2::text[])`,
    [accountId, responseIds],
  );
}
