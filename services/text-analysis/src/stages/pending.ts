import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Stage } from '../tables/account-state.ts';

/** Answer that a stage processes. */
export interface StageInput {
  readonly id: number;
  readonly text: string;
  // ISO 639-1, of the respondent or else the account; null when unknown.
  readonly expectedLanguage: string | null;
  // A result for another version of the text is discarded.
  readonly textVersion: number;
}

export interface StageResult<R> extends StageInput {
  readonly result: R;
}

/** Returns the accounts with answers pending in any stage. */
export async function accountsWithPending(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_with_pending() as id');
  return rows.map(({ id }) => id);
}

export interface ClaimedAnswer {
  readonly answer: number;
  readonly attempts: number;
}

// Lease of a dispatched answer; lost answers are dispatched again when it expires.
const DUE_AGAIN = "interval '2 minutes'";

// Ids as an array make PostgreSQL use the primary key even with stale statistics.
const HAND_OUT = `
update text.pending set dispatched = true, due_at = now() + ${DUE_AGAIN}
where account_id = $1::bigint and stage = $2::text and answer = any(array(
  select p.answer from text.pending p
  where p.account_id = $1::bigint and p.stage = $2::text and p.due_at <= now()
  order by p.due_at, p.answer
  limit greatest(0, $3::integer - (
    select count(*) from text.pending o
    where o.account_id = $1::bigint and o.stage = $2::text and o.dispatched and o.due_at > now()
  ))
  for update skip locked
))
returning answer, attempts`;

/** Dispatches pending answers while at most `most` are dispatched. */
export async function claimDue(tx: Client, accountId: number, stage: Stage, most: number): Promise<ClaimedAnswer[]> {
  const { rows } = await tx.query<ClaimedAnswer>(HAND_OUT, [accountId, stage, most]);
  return rows;
}

const FIRST_RETRY_MS = 5_000;

export interface StartedAnswer extends StageInput {
  // Including this attempt.
  readonly attempts: number;
}

const BEGIN = `
with begun as (
  update text.pending set attempts = attempts + 1, due_at = now() + ${DUE_AGAIN}, dispatched = true
  where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[])
  returning answer, attempts
)
select a.id, a.content as text, a.content_version as "textVersion", r.language as "expectedLanguage", b.attempts
from begun b join text.answer a on a.account_id = $1::bigint and a.id = b.answer
join text.response r on r.account_id = a.account_id and r.id = a.response_id
where a.content is not null
order by a.id`;

/**
 * Records an attempt before it begins, so that answers that end the process are identified. Omits
 * answers that are no longer pending.
 */
export async function beginAttempt(
  tx: Client,
  accountId: number,
  stage: Stage,
  answers: readonly number[],
): Promise<StartedAnswer[]> {
  const { rows } = await tx.query<StartedAnswer>(BEGIN, [accountId, stage, answers]);
  return rows;
}

/** Returns the answers that are still pending for the stage. */
export async function stillPending(
  tx: Client,
  accountId: number,
  stage: Stage,
  answers: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ answer: number }>(
    'select answer from text.pending where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[])',
    [accountId, stage, answers],
  );
  return new Set(rows.map(({ answer }) => answer));
}

export async function deletePending(tx: Client, accountId: number, stage: Stage, answers: readonly number[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query('delete from text.pending where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[])', [
    accountId,
    stage,
    answers,
  ]);
}

/**
 * Returns the milliseconds until an answer of the account is due for any stage, 0 or less when one
 * is; undefined when none is pending.
 */
export async function nextDueInMs(tx: Client, accountId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ms: number | null }>(
    `select extract(epoch from min(p.due_at) - now())::float8 * 1000 as ms
     from unnest(array['mask', 'categorise', 'sentiment']) s (stage) cross join lateral (
       select due_at from text.pending where account_id = $1::bigint and stage = s.stage order by due_at limit 1
     ) p`,
    [accountId],
  );
  return rows[0]?.ms ?? undefined;
}

/** Schedules retries with exponential backoff: 5, 10, 20, 40 s. */
export async function scheduleRetry(tx: Client, accountId: number, stage: Stage, answers: readonly number[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query(
    `update text.pending set dispatched = false, due_at = to_timestamp(extract(epoch from now())::float8 + ${FIRST_RETRY_MS} / 1000.0 * 2 ^ (attempts - 1))
     where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[]) and attempts > 0`,
    [accountId, stage, answers],
  );
  await markDue(tx, 'text', 'dispatch', [accountId], FIRST_RETRY_MS);
}

interface GivenUp {
  readonly id: number;
  readonly reason: string;
}

/** Gives up answers for this stage with a reason; an operator may queue them again. */
export async function giveUp(tx: Client, accountId: number, stage: Stage, answers: readonly GivenUp[]): Promise<void> {
  if (answers.length === 0) return;
  const ids = answers.map(({ id }) => id);
  await tx.query(
    `insert into text.given_up (account_id, stage, answer, reason) select $1::bigint, $2::text, g.* from unnest($3::integer[], $4::text[]) g
     on conflict (account_id, stage, answer) do update set reason = excluded.reason, given_up_at = excluded.given_up_at`,
    [accountId, stage, ids, answers.map(({ reason }) => reason)],
  );
  await deletePending(tx, accountId, stage, ids);
}
