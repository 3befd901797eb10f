import { inAccountSnapshot, type Pool, type Queryable } from '@survey/postgres/database.ts';
import type { ShowTextStatusResponse, StageStatus, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { Stage } from '../tables/account-state.ts';

/** Returns the progress of each stage, and the answers that it gave up. */
export function showTextStatus(pool: Pool, models: readonly StageModels[]): Handlers<TopicServiceDefinition>['showTextStatus'] {
  return (_request, call) => {
    const accountId = accountOf(call);
    return inAccountSnapshot(pool, accountId, (tx) => readTextStatus(tx, accountId, models));
  };
}

const OVERALL = `
select (select count(*) from text.answer a where a.account_id = $1::bigint and a.content is not null) as answers,
  (select count(*) from text.topic t where t.account_id = $1::bigint) as topics,
  coalesce((select s.taxonomy_version from text.account_state s where s.account_id = $1::bigint), 0) as taxonomy_version,
  (select extract(epoch from now() - min(o.created_at))::bigint from text.outbox o
   where o.account_id = $1::bigint and o.sent_at is null and o.subject like 'jobs.%') as jobs_unsent_seconds`;

const BASES = `
select g.stage, text.backfill_basis($1::bigint, g.stage, g.models) as basis
from unnest($2::text[], $3::text[]) with ordinality g (stage, models, ordinal) order by g.ordinal`;

const STAGES = `
select g.stage, b.version,
  -- An account without texts and settings needs no backfill.
  coalesce(b.basis = g.basis, s.account_id is null and v.account_id is null) as is_backfilled,
  case when b.version is null then 0 else s.answers - b.enqueued_below end as not_enqueued,
  coalesce(w.waiting, 0) as waiting, coalesce(w.in_progress, 0) as in_progress, w.lag_seconds,
  coalesce((select json_agg(json_build_object('reason', u.reason, 'answers', u.answers) order by u.answers desc, u.reason)
            from (select reason, count(*) as answers from text.given_up where account_id = $1::bigint and stage = g.stage group by reason) u),
           '[]') as given_up
from unnest($2::text[], $3::text[]) with ordinality g (stage, basis, ordinal)
left join admin.settings v on v.account_id = $1::bigint and v.version = 1
left join text.account_state s on s.account_id = $1::bigint
left join text.backfill b on b.account_id = $1::bigint and b.stage = g.stage
left join lateral (
  select count(*) as waiting, count(*) filter (where dispatched and due_at > now()) as in_progress,
    extract(epoch from now() - min(due_at) filter (where due_at <= now()))::float8 as lag_seconds
  from text.pending where account_id = $1::bigint and stage = g.stage
) w on true
order by g.ordinal`;

/** A stage, and the basis of its current version. */
export interface StageModels {
  readonly stage: Stage;
  readonly basis: string;
}

/** Returns the progress of each stage in the account. */
async function readTextStatus(db: Queryable, accountId: number, models: readonly StageModels[]): Promise<ShowTextStatusResponse> {
  const overall = await db.query<Omit<ShowTextStatusResponse, 'stages'>>(OVERALL, [accountId]);
  const stagesAndBases = [models.map(({ stage }) => stage), models.map(({ basis }) => basis)];
  const bases = await db.query<{ stage: Stage; basis: string }>(BASES, [accountId, ...stagesAndBases]);
  const stages = await db.query<StageStatus>(STAGES, [
    accountId,
    bases.rows.map(({ stage }) => stage),
    bases.rows.map(({ basis }) => basis),
  ]);
  if (overall.rows[0] === undefined) throw new Error('expected one row');
  return { ...overall.rows[0], stages: stages.rows };
}
