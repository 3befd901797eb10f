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
  readonly bytes: number;
}

// Lease of a dispatched answer; lost answers are dispatched again when it expires.
const DUE_AGAIN = "interval '2 minutes'";

// The longest due come first, which the index has in this order: however many are due, only those
// that are dispatched are read.
const HAND_OUT = `
with dispatched as (
  select count(*) as answers, coalesce(sum(octet_length(a.content)), 0) as bytes
  from text.pending o
  left join lateral (select content from text.answer where account_id = $1::bigint and id = o.answer offset 0) a on true
  where o.account_id = $1::bigint and o.stage = $2::text and o.dispatched and o.due_at > now()
), due as (
  select answer, due_at from text.pending
  where account_id = $1::bigint and stage = $2::text and due_at <= now()
  order by due_at
  limit greatest(0, $3::integer - (select answers from dispatched))
  for update skip locked
), sized as (
  select d.answer, sum(octet_length(a.content)) over (order by d.due_at, d.answer) - octet_length(a.content) as bytes_before
  from due d
  left join lateral (select content from text.answer where account_id = $1::bigint and id = d.answer offset 0) a on true
), claimed as (
  update text.pending set dispatched = true, due_at = now() + ${DUE_AGAIN}
  where account_id = $1::bigint and stage = $2::text and answer = any(array(
    select answer from sized where coalesce(bytes_before, 0) + (select bytes from dispatched) < $4::integer))
  returning answer, attempts
)
select c.answer, c.attempts, coalesce(octet_length(a.content), 0) as bytes
from claimed c
left join lateral (select content from text.answer where account_id = $1::bigint and id = c.answer offset 0) a on true`;

/**
 * Dispatches pending answers while fewer than `answers` with fewer than `bytes` are dispatched; the
 * last one may exceed the bytes.
 */
export async function claimDue(
  tx: Client,
  accountId: number,
  stage: Stage,
  { answers, bytes }: { readonly answers: number; readonly bytes: number },
): Promise<ClaimedAnswer[]> {
  const { rows } = await tx.query<ClaimedAnswer>(HAND_OUT, [accountId, stage, answers, bytes]);
  return rows;
}

const FIRST_RETRY_MS = 5_000;

export interface StartedAnswer extends StageInput {
  // Including this attempt.
  readonly attempts: number;
  // Earlier attempts during which the process or a thread ended.
  readonly crashes: number;
}

const BEGIN = `
with begun as (
  update text.pending set attempts = attempts + 1, crashes = crashes + in_progress::integer, in_progress = true,
    due_at = now() + ${DUE_AGAIN}, dispatched = true
  where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[])
  returning answer, attempts, crashes
)
select a.id, a.content as text, a.content_version as "textVersion", r.language as "expectedLanguage", b.attempts, b.crashes
from begun b join text.answer a on a.account_id = $1::bigint and a.id = b.answer
join text.response r on r.account_id = a.account_id and r.id = a.response_id
where a.content is not null
order by a.id`;

/**
 * Records an attempt before it begins: one that is still in progress when the next begins has ended
 * the process. Omits answers that are no longer pending.
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

/** Records that the attempts at these answers have ended by themselves. */
export async function endAttempt(tx: Client, accountId: number, stage: Stage, answers: readonly number[]): Promise<void> {
  await tx.query(
    `update text.pending set in_progress = false
     where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[]) and in_progress`,
    [accountId, stage, answers],
  );
}

/** Returns whether an attempt at this answer has not ended by itself. */
export async function isSuspect(tx: Client, accountId: number, stage: Stage, answer: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from text.pending
     where account_id = $1::bigint and stage = $2::text and answer = $3::integer and (in_progress or crashes > 0)`,
    [accountId, stage, answer],
  );
  return rowCount === 1;
}

/** Ends the attempts at these answers at once; they are dispatched again, each alone. */
export async function dispatchAlone(tx: Client, accountId: number, stage: Stage, answers: readonly number[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query(
    `update text.pending set in_progress = false, dispatched = false, due_at = now()
     where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[])`,
    [accountId, stage, answers],
  );
  await markDue(tx, 'text', 'dispatch', [accountId]);
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

interface Failed {
  readonly id: number;
  readonly textVersion: number;
  readonly reason: string;
  // Whether the attempt ended the thread of a model.
  readonly crashed: boolean;
}

/** Schedules retries with exponential backoff: 5, 10, 20, 40 s. */
export async function scheduleRetry(tx: Client, accountId: number, stage: Stage, failed: readonly Failed[]): Promise<void> {
  if (failed.length === 0) return;
  const crashed = failed.filter((one) => one.crashed);
  await tx.query(
    `update text.pending set dispatched = false, crashes = crashes + (answer = any($4::integer[]))::integer,
       due_at = to_timestamp(extract(epoch from now())::float8 + ${FIRST_RETRY_MS} / 1000.0 * 2 ^ (attempts - 1))
     where account_id = $1::bigint and stage = $2::text and answer = any($3::integer[]) and attempts > 0`,
    [accountId, stage, failed.map(({ id }) => id), crashed.map(({ id }) => id)],
  );
  await markDue(tx, 'text', 'dispatch', [accountId], FIRST_RETRY_MS);
}

// Skips texts that have been corrected since: their new version is pending with its own attempts.
const GIVE_UP = `
insert into text.given_up as kept (account_id, stage, answer, reason, crashed)
select $1::bigint, $2::text, g.id, g.reason, g.crashed
from unnest($3::integer[], $4::integer[], $5::text[], $6::boolean[]) g (id, content_version, reason, crashed)
cross join lateral (
  select from text.answer where account_id = $1::bigint and id = g.id and content_version = g.content_version offset 0) a
on conflict (account_id, stage, answer) do update set reason = excluded.reason, given_up_at = excluded.given_up_at,
  crashed = excluded.crashed
returning answer`;

/** Gives up answers for this stage with a reason; an operator may queue them again. */
export async function giveUp(tx: Client, accountId: number, stage: Stage, failed: readonly Failed[]): Promise<void> {
  if (failed.length === 0) return;
  const { rows } = await tx.query<{ answer: number }>(GIVE_UP, [
    accountId,
    stage,
    failed.map(({ id }) => id),
    failed.map(({ textVersion }) => textVersion),
    failed.map(({ reason }) => reason),
    failed.map(({ crashed }) => crashed),
  ]);
  await deletePending(
    tx,
    accountId,
    stage,
    rows.map(({ answer }) => answer),
  );
}
