import type { AccountWork } from '@survey/bus/account-work.ts';
import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/bus/facts/deferred-facts.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { type AccountState, lockAccountState, saveAccountState } from './account-state.ts';

// Without an index on respondents, their responses are found by reading all responses of the
// account.
const MAX_ERASURE_MS = 60_000;
const MAX_EXPIRY_MS = 900_000;

/**
 * Detaches an employee's answers, which then belong to a number without an employee, or deletes
 * them (rule DATA-ERASURE-2).
 */
export const eraseEmployee =
  (pool: Pool) =>
  (erasure: Erasure): Promise<undefined> =>
    inAccount(pool, erasure.accountId, async (tx) => {
      const { accountId, employeeId, answers } = erasure;
      await allowLongStatements(tx, MAX_ERASURE_MS);
      const state = await lockAccountState(tx, accountId);
      await deleteFactsOfErased(tx, 'scoring', erasure);
      const respondent = await deleteRespondent(tx, accountId, employeeId);
      if (respondent === undefined) return undefined;
      if (answers === 'anonymise') return unlinkResponses(tx, accountId, respondent);
      await saveDeleted(tx, accountId, state, await deleteResponses(tx, accountId, respondent));
      return undefined;
    });

/** Unlinks an employee from their responses. Returns the respondent's ordinal, if there is one. */
async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from scoring.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts, because whoever has a fact could recognise it by its digest. */
async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<undefined> {
  await tx.query(`update scoring.response set digest = '' where account_id = $1::bigint and respondent = $2::integer`, [
    accountId,
    respondent,
  ]);
  return undefined;
}

const DELETE = `
with response as (
  delete from scoring.response where account_id = $1::bigint and respondent = $2::integer returning ordinal
), removed as (
  delete from scoring.removed_answer where account_id = $1::bigint and respondent = $2::integer
)
delete from scoring.answer where account_id = $1::bigint and response = any(array(select ordinal from response))`;

/** Deletes a respondent's responses. Returns the number of deleted answers. */
async function deleteResponses(tx: Client, accountId: number, respondent: number): Promise<number> {
  const { rowCount } = await tx.query(DELETE, [accountId, respondent]);
  return rowCount ?? 0;
}

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
        await allowLongStatements(tx, MAX_EXPIRY_MS);
        const state = await lockAccountState(tx, accountId);
        const cycle = await findExpiredCycle(tx, accountId, defaultDays);
        if (cycle === undefined) return undefined;
        await saveDeleted(tx, accountId, state, await deleteExpiredCycle(tx, accountId, cycle));
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

const DELETE_EXPIRED = `
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
 * answers. The caller makes every cache load the account again, so none needs the list of
 * removed answers.
 */
async function deleteExpiredCycle(tx: Client, accountId: number, { id, beforeUs }: ExpiredCycle): Promise<number> {
  if (beforeUs === null) await tx.query(DELETE_BLOCKS, [accountId, id]);
  await tx.query('delete from scoring.removed_answer where account_id = $1::bigint', [accountId]);
  const { rowCount } = await tx.query(DELETE_EXPIRED, [accountId, id, beforeUs]);
  return rowCount ?? 0;
}

// Adds more changes than a cache can follow, so that every process loads the account's answers
// again.
async function saveDeleted(tx: Client, accountId: number, state: AccountState, deletedAnswers: number): Promise<void> {
  const answers = state.answers - deletedAnswers;
  await saveAccountState(tx, accountId, { ...state, answers, sequence: state.sequence + MAX_CHANGES + 1 });
}
