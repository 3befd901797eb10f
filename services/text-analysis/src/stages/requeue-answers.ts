import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Stage } from '../tables/account-state.ts';

// Imported answers are never masked (rule TEXTS-MASKING-1). Dispatched answers are processed again.
const STRETCH = `
insert into text.pending as waiting (account_id, stage, answer)
select a.account_id, $2::text, a.id
from text.answer a
cross join lateral (select imported from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
where a.account_id = $1::bigint and a.id >= $3::integer and a.id < $4::integer and a.content is not null
  and not ($2::text = 'mask' and r.imported)
  and not exists (
    select from text.given_up g where g.account_id = $1::bigint and g.stage = $2::text and g.answer = a.id and g.crashed offset 0
  )
on conflict (account_id, stage, answer) do update set attempts = 0, due_at = excluded.due_at, dispatched = false`;

/**
 * Queues the answers in an id range for a stage, due at once, but not those that it gave up because
 * of crashes. Returns their number.
 */
export async function requeueRange(
  tx: Client,
  accountId: number,
  stage: Stage,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const { rowCount } = await tx.query(STRETCH, [accountId, stage, from, to]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
  return rowCount ?? 0;
}

// Most answers need no scoring: they have a sentiment already, or no topics.
const RESET_SENTIMENT = `
update text.topic_assignment set sentiment = null, sentiment_version = null
where account_id = $1::bigint and answer >= $2::integer and answer < $3::integer and sentiment_version is not null`;

/**
 * Deletes scored sentiment in an id range so that it is scored again; sentiment stated in facts is
 * kept.
 */
export async function deleteSentiment(
  tx: Client,
  accountId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await tx.query(RESET_SENTIMENT, [accountId, from, to]);
}

const QUEUE = `
insert into text.pending (account_id, stage, answer)
select a.account_id, $2::text, a.id
from text.answer a
where a.account_id = $1::bigint and a.id >= $3::integer and a.id < $4::integer and a.content is not null
  and not exists (select from text.given_up g where g.account_id = $1::bigint and g.stage = $2::text and g.answer = a.id offset 0)
on conflict do nothing`;

/** Queues the answers in an id range for a stage, unless they are queued or given up. */
export async function queueTexts(
  tx: Client,
  accountId: number,
  stage: Stage,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await tx.query(QUEUE, [accountId, stage, from, to]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
}

const RETRY = `
with taken as (
  delete from text.given_up where account_id = $1::bigint and ($2::text is null or stage = $2) returning stage, answer
)
insert into text.pending as waiting (account_id, stage, answer)
select $1::bigint, t.stage, t.answer from taken t
join text.backfill p on p.account_id = $1::bigint and p.stage = t.stage and p.version is not null
cross join lateral (select from text.answer where account_id = $1::bigint and id = t.answer and content is not null offset 0) a
on conflict (account_id, stage, answer) do update set attempts = 0, due_at = excluded.due_at, dispatched = false,
  in_progress = false, crashes = 0`;

/** Queues the answers that one or all stages gave up. Returns their number. */
export async function requeueGivenUp(tx: Client, accountId: number, stage: Stage | null): Promise<number> {
  const { rowCount } = await tx.query(RETRY, [accountId, stage]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
  return rowCount ?? 0;
}
