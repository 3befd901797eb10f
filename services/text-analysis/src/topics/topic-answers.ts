import { type Client, type Queryable, limitResults, inAccount } from '@survey/postgres/database.ts';
import type {
  TopicAnswerCount,
  TopicCycleCount,
  TextRange,
  TopicServiceDefinition,
  ReassignTopicRequest,
} from '@survey/proto/text/v1/topics.ts';
import { LargeResult } from '@survey/postgres/large-result.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { normalise } from '@survey/text/words/normalise.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { type Released, WHOLE_ACCOUNT, withReleased, type ReleaseContext } from '../release/released-answers.ts';
import { readWithLanguages } from './explain-keywords.ts';
import type { KeywordMatcher } from './keyword-matcher.ts';
import { createMatcherCache } from './matcher-cache.ts';
import { topicView } from './topic-views.ts';
import { findTopic } from './topics.ts';
import { lockAccountState } from '../tables/account-state.ts';
import { countDecisions } from './learning/decided-answers.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import type { TopicContext } from './change-topics.ts';

const MAX_LIMIT = 200;

/**
 * Lists the answers about a topic that GET /v1/text_responses returns now (rules TEXTS-THRESHOLD-1
 * and TEXTS-ORDER-1).
 */
export function listTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['listTopicAnswers'] {
  return async ({ topic, limit, offset }, call) => {
    if (limit < 1 || limit > MAX_LIMIT || offset < 0) throw invalid(`limit must be 1 to ${MAX_LIMIT}, and offset at least 0`);
    using result = new LargeResult(accountOf(call));
    return await withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, policy, deniedWords }) => {
      limitResults(tx, result);
      const row = await findTopic(tx, accountId, topic);
      const views = [topicView(row)];
      const matcherOf = createMatcherCache();
      const ofTopic = await answersOfTopic(tx, accountId, row.topic_id);
      const topicIds = released.ids.filter((id) => ofTopic.has(id));
      const ids = [...topicIds.subarray(offset, offset + limit)];
      const handles = await sortKeysOf(tx, accountId, ids);
      const page = await readWithLanguages(tx, accountId, ids, { policy, deniedWords });
      const answers = page.map(({ text, topics, language }, index) => ({
        handle: handles.get(ids[index] ?? 0) ?? '',
        text,
        topics: topics.map(({ name }) => name),
        sentiment: topics.find(({ name }) => name === row.name)?.sentiment ?? null,
        matches: matchesIn(text, language, matcherOf(views, language)),
      }));
      return { answers, total: topicIds.length };
    });
  };
}

// Where keywords are: of overlapping ones the longest.
function matchesIn(text: string, language: string, matcher: KeywordMatcher): TextRange[] {
  const words = readWords(text, language);
  const { rangeOf } = normalise(text);
  const hits = matcher.find(words).toSorted((a, b) => a.word - b.word || b.length - a.length);
  let next = 0;
  return hits.flatMap(({ word, length }) => {
    if (word < next) return [];
    next = word + length;
    return [rangeOf(words[word]?.start ?? 0, words[next - 1]?.end ?? 0)];
  });
}

/** Counts, by topic and for one by cycle, the answers that GET /v1/text_responses returns now. */
export function countTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['countTopicAnswers'] {
  return ({ topic }, call) =>
    withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, ...units }) => ({
      counts: await countByTopic(tx, accountId, units),
      cycles: topic == null ? [] : await countByCycle(tx, accountId, (await findTopic(tx, accountId, topic)).topic_id, units),
    }));
}

const MAX_ANSWERS = 200;

/**
 * Records an account admin's decision about answers, which always overrides automatically found
 * topics.
 * @throws ApplicationError `not_found` unless all answers are released and have the topic, so that
 * a call reveals nothing about answers that are not shown.
 */
export function reassignTopic(context: TopicContext & ReleaseContext): Handlers<TopicServiceDefinition>['reassignTopic'] {
  const { pool, wake } = context;
  return async (request, call) => {
    const { topic, into } = request;
    const accountId = accountOf(call);
    const answers = await findReleased(context, request, call);
    await inAccount(pool, accountId, async (tx) => {
      const { stages } = await lockAccountState(tx, accountId);
      const from = await findTopic(tx, accountId, topic);
      const target = into == null ? undefined : await findTopic(tx, accountId, into);
      if (target?.topic_id === from.topic_id) throw invalid('answers cannot be moved to their current topic');
      await moveAnswers(tx, accountId, answers, from.topic_id, target?.topic_id);
      await countDecisions(tx, accountId, answers.length);
      if (stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], answers);
    });
    wake(accountId);
    return {};
  };
}

function findReleased(context: ReleaseContext, { handles, topic }: ReassignTopicRequest, call: CallContext): Promise<number[]> {
  if (handles.length < 1 || handles.length > MAX_ANSWERS) throw invalid(`handles must have 1 to ${MAX_ANSWERS} entries`);
  return withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released }) => {
    const { topic_id } = await findTopic(tx, accountId, topic);
    const ofTopic = await answersOfTopic(tx, accountId, topic_id);
    const ids = Array.from(released.ids.filter((id) => ofTopic.has(id)));
    const requestedHandles = new Set(handles);
    const answers = [...(await sortKeysOf(tx, accountId, ids))].flatMap(([id, sortKey]) =>
      requestedHandles.has(sortKey) ? [id] : [],
    );
    if (answers.length < requestedHandles.size) throw notFound('a handle matches no released answer about this topic');
    return answers;
  });
}

/** Returns the ids of the answers that have the topic, including those that are not shown. */
async function answersOfTopic(db: Queryable, accountId: number, topicId: number): Promise<Set<number>> {
  const { rows } = await db.query<{ answer: number }>(
    'select answer from text.topic_assignment where account_id = $1::bigint and topic_id = $2::integer and removed_at is null',
    [accountId, topicId],
  );
  return new Set(rows.map(({ answer }) => answer));
}

/** Returns the sort keys of answers, which name them without revealing when they were stored. */
async function sortKeysOf(db: Queryable, accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
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

async function countByTopic(
  db: Queryable,
  accountId: number,
  { released, policy, kind }: Pick<Released, 'released' | 'policy' | 'kind'>,
): Promise<TopicAnswerCount[]> {
  const { rows } = await db.query<TopicAnswerCount>(COUNT, [accountId, [...released.units], policy, kind === 'blocks']);
  return rows;
}

/** Counts the released answers about a topic in the newest cycles that have some, oldest first. */
async function countByCycle(
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
