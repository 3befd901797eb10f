import { type Client, inAccount } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { type Stage, lockAccountState } from '../tables/account-state.ts';
import type { TopicContext } from '../topics/change-topics.ts';

/**
 * Queues the answers that a stage gave up, with their attempts reset. If the stage is off, they are
 * dropped; the backfill queues them when it is on again.
 */
export function retryText({ pool, wake }: TopicContext): Handlers<TopicServiceDefinition>['retryText'] {
  return async (request, call) => {
    const accountId = accountOf(call);
    const stage = request.stage == null ? null : checkStage(request.stage);
    const queued = await inAccount(pool, accountId, async (tx) => {
      await lockAccountState(tx, accountId);
      return requeueGivenUp(tx, accountId, stage);
    });
    wake(accountId);
    return { queued };
  };
}

// Answer ids per transaction, which takes some 100 ms.
const STRETCH = 20_000;

/**
 * Queues a range of answers for a stage, including those that have a result. Results are kept until
 * they are replaced, except sentiment, which is deleted first because a stage scores only pairs
 * without one.
 * @throws ApplicationError `conflict` when the stage is off.
 */
export function rebuildText({ pool, wake }: TopicContext): Handlers<TopicServiceDefinition>['rebuildText'] {
  return async (request, call) => {
    const accountId = accountOf(call);
    const stage = checkStage(request.stage);
    const from = request.from_answer ?? 0;
    const stretch = { from, to: from + STRETCH };
    const answer = await inAccount(pool, accountId, async (tx) => {
      const { stages, answers } = await lockAccountState(tx, accountId);
      if (!stages.has(stage)) throw conflict(`${stage} is off: see settings show`);
      if (stage === 'sentiment') await deleteSentiment(tx, accountId, stretch);
      const queued = await requeueRange(tx, accountId, stage, stretch);
      return { queued, next_answer: stretch.to < answers ? stretch.to : null };
    });
    wake(accountId);
    return answer;
  };
}

const STAGES: readonly Stage[] = ['mask', 'categorise', 'sentiment'];

function checkStage(name: string): Stage {
  const stage = STAGES.find((one) => one === name);
  if (stage === undefined) throw invalid(`stage must be one of ${STAGES.join(', ')}`);
  return stage;
}

// Imported answers are never masked (rule TEXTS-MASKING-1). Dispatched answers are processed again.
const REQUEUE_RANGE = `
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
async function requeueRange(
  tx: Client,
  accountId: number,
  stage: Stage,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const { rowCount } = await tx.query(REQUEUE_RANGE, [accountId, stage, from, to]);
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
async function deleteSentiment(
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
async function requeueGivenUp(tx: Client, accountId: number, stage: Stage | null): Promise<number> {
  const { rowCount } = await tx.query(RETRY, [accountId, stage]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
  return rowCount ?? 0;
}
