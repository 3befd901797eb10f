import type { Client, Queryable } from '@survey/postgres/database.ts';
import type { TopicAnswerCount, TopicCycleCount } from '@survey/proto/text/v1/topics.ts';
import type { Released } from '../release/released-answers.ts';

/** Returns the ids of the answers that have the topic, including those that are not shown. */
export async function answersOfTopic(db: Queryable, accountId: number, topicId: number): Promise<Set<number>> {
  const { rows } = await db.query<{ answer: number }>(
    'select answer from text.topic_assignment where account_id = $1::bigint and topic_id = $2::integer and removed_at is null',
    [accountId, topicId],
  );
  return new Set(rows.map(({ answer }) => answer));
}

/** Returns the sort keys of answers, which name them without revealing when they were stored. */
export async function sortKeysOf(db: Queryable, accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await db.query<{ id: number; sort_key: string }>(
    'select id, sort_key::text from text.answer where account_id = $1::bigint and id = any($2::integer[])',
    [accountId, ids],
  );
  return new Map(rows.map(({ id, sort_key }) => [id, sort_key]));
}

// Answers in released units, as answers/selection.ts selects them. $2: ordinals of the units; $3:
// masking policy, null when texts are returned verbatim; $4: whether the units are blocks.
const COUNTS = `count(*) as answers, count(*) filter (where x.sentiment = 'positive') as positive,
  count(*) filter (where x.sentiment = 'negative') as negative`;
const SHOWN = `
from text.topic_assignment x
join text.answer a on a.account_id = x.account_id and a.id = x.answer and a.content is not null and not a.is_withheld
join text.response r on r.account_id = a.account_id and r.id = a.response_id
join text.question q on q.account_id = a.account_id and q.id = a.question_id and q.type = 'textfield'
left join text.block_answer b on b.account_id = a.account_id and b.answer = a.id
where x.account_id = $1::bigint and x.removed_at is null and case when $4::boolean then b.block else r.cycle end = any($2::integer[])
  and (r.imported or $3::bigint is null or exists (
    select from text.masked_text m where m.account_id = $1::bigint and m.answer = a.id and m.policy = $3::bigint))`;
const COUNT = `select x.topic_id, ${COUNTS} ${SHOWN} group by x.topic_id`;

// $5: the topic. Cycles are known once their facts have come.
const COUNT_BY_CYCLE = `
with counted as (select r.cycle, ${COUNTS} ${SHOWN} and x.topic_id = $5::integer group by r.cycle)
select to_char((timestamptz 'epoch' + s.opened_us * interval '1 microsecond') at time zone 'utc', 'YYYY-MM-DD') as day,
  c.survey_id, n.answers, n.positive, n.negative
from counted n
join text.cycle c on c.account_id = $1::bigint and c.ordinal = n.cycle
left join scoring.cycle s on s.account_id = c.account_id and s.id = c.cycle_id
order by s.opened_us desc nulls last, c.ordinal desc
limit 24`;

export async function countTopicAnswers(
  db: Queryable,
  accountId: number,
  { released, policy, kind }: Pick<Released, 'released' | 'policy' | 'kind'>,
): Promise<TopicAnswerCount[]> {
  const { rows } = await db.query<TopicAnswerCount>(COUNT, [accountId, [...released.units], policy, kind === 'blocks']);
  return rows;
}

/** Counts the released answers about a topic in the newest cycles that have some, oldest first. */
export async function countByCycle(
  db: Queryable,
  accountId: number,
  topicId: number,
  { released, policy, kind }: Pick<Released, 'released' | 'policy' | 'kind'>,
): Promise<TopicCycleCount[]> {
  const values = [accountId, [...released.units], policy, kind === 'blocks', topicId];
  const { rows } = await db.query<TopicCycleCount>(COUNT_BY_CYCLE, values);
  return rows.toReversed();
}

// The revision of the newest fact is kept, so that a newer fact overrides this decision.
const DECIDE = `
insert into text.topic_assignment (account_id, answer, topic_id, origin, removed_at)
select $1::bigint, answer, d.topic_id, 'admin', case when d.removed then now() end
from unnest($2::integer[]) answer, unnest($3::integer[], $4::boolean[]) d (topic_id, removed)
on conflict (account_id, answer, topic_id) do update set
  origin = 'admin', score = null, model_version = null, removed_at = excluded.removed_at`;

/** Saves an account admin's decision: the answers lose a topic, and may get another. */
export async function moveAnswers(
  tx: Client,
  accountId: number,
  answers: readonly number[],
  from: number,
  into: number | undefined,
): Promise<void> {
  const topics = into === undefined ? [from] : [from, into];
  await tx.query(DECIDE, [accountId, answers, topics, topics.map((topic) => topic === from)]);
}
