import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { changeTopics, keepOldName, setSearchWords, type TopicContext } from './change-topics.ts';
import { findTopic, type Keywords, type TopicRow } from './topics.ts';

const MAX_MERGE_MS = 60_000;

/**
 * Merges two topics. Where an answer has both, an account admin's decision overrides an automatic
 * one, and a removal still counts as a removal. The remaining topic is matched by the keywords of
 * both.
 */
export function mergeTopics(context: TopicContext): Handlers<TopicServiceDefinition>['mergeTopics'] {
  return ({ topic, into }, call) =>
    changeTopics(context, call, async ({ tx, accountId, state }) => {
      const merged = await findTopic(tx, accountId, topic);
      const target = await findTopic(tx, accountId, into);
      if (merged.topic_id === target.topic_id) throw invalid('a topic cannot be merged into itself');
      // An account with millions of answers blocks other writers for some seconds.
      await allowLongStatements(tx, MAX_MERGE_MS);
      const unscored = await mergeAssignments(tx, accountId, merged.topic_id, target.topic_id);
      if (state.stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], unscored);
      await keepOldName(tx, accountId, merged.topic_id, target.topic_id);
      await deleteTopic(tx, accountId, merged.topic_id, target.topic_id);
      await setSearchWords(tx, accountId, target.topic_id, bothOf(target, merged));
      state.taxonomy_version += 1;
      const event = { subject: 'events.topic.merged', mergedTopicId: merged.topic_id } as const;
      return { before: merged, after: await findTopic(tx, accountId, into), event };
    });
}

function bothOf(remaining: TopicRow, merged: TopicRow): { keywords: Keywords; match_names: string[] } {
  const languages = [...new Set([...Object.keys(remaining.keywords), ...Object.keys(merged.keywords)])];
  const keywords = languages.map((language) => [
    language,
    union(remaining.keywords[language] ?? [], merged.keywords[language] ?? []),
  ]);
  return { keywords: Object.fromEntries(keywords), match_names: union(remaining.match_names, merged.match_names) };
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}

// $2: removed topic; $3: remaining topic. An account admin's decision overrides an automatic one,
// and a removal overrides an assignment; otherwise the remaining topic's own assignment is kept.
const DROP_BEATEN = `
delete from text.topic_assignment kept using text.topic_assignment gone
where kept.account_id = $1::bigint and kept.topic_id = $3::integer
  and gone.account_id = kept.account_id and gone.answer = kept.answer and gone.topic_id = $2::integer
  and (gone.origin = 'admin', gone.removed_at is not null) > (kept.origin = 'admin', kept.removed_at is not null)`;

// Where both are visible, the merged pair needs a new sentiment.
const DROP_OTHERS = `
with dropped as (
  delete from text.topic_assignment gone using text.topic_assignment kept
  where gone.account_id = $1::bigint and gone.topic_id = $2::integer
    and kept.account_id = gone.account_id and kept.answer = gone.answer and kept.topic_id = $3::integer
  returning gone.answer
)
update text.topic_assignment kept set sentiment = null, sentiment_version = null
from dropped d
where kept.account_id = $1::bigint and kept.answer = d.answer and kept.topic_id = $3::integer
  and kept.removed_at is null and (kept.sentiment is null or kept.sentiment_version is not null)
returning kept.answer`;

// Sentiment stated in a fact has no version and is kept.
const MOVE = `
update text.topic_assignment set topic_id = $3::integer, sentiment_version = null,
  sentiment = case when sentiment_version is null then sentiment end
where account_id = $1::bigint and topic_id = $2::integer
returning answer, removed_at is null and sentiment is null as is_unscored`;

// The decision that is kept gets the higher revision, so that older facts about either topic have
// no effect.
const RAISE_REVISIONS = `
update text.topic_assignment x set revision = n.revision, digest = n.digest
from (
  select distinct on (answer) answer, revision, digest from text.topic_assignment
  where account_id = $1::bigint and topic_id in ($2::integer, $3::integer) and revision is not null
  order by answer, revision desc, digest desc
) n
where x.account_id = $1::bigint and x.topic_id in ($2::integer, $3::integer) and x.answer = n.answer and x.revision < n.revision`;

/**
 * Moves all assignments of one topic to another. Returns the answers to score again (rule
 * TEXTS-TOPICS-1).
 */
async function mergeAssignments(tx: Client, accountId: number, merged: number, remaining: number): Promise<number[]> {
  const ids = [accountId, merged, remaining];
  await tx.query(RAISE_REVISIONS, ids);
  await tx.query(DROP_BEATEN, ids);
  const answersWithBoth = await tx.query<{ answer: number }>(DROP_OTHERS, ids);
  const moved = await tx.query<{ answer: number; is_unscored: boolean }>(MOVE, ids);
  return [...answersWithBoth.rows, ...moved.rows.filter(({ is_unscored }) => is_unscored)].map(({ answer }) => answer);
}

/** Deletes a topic without answers; facts that name it then refer to the other topic. */
async function deleteTopic(tx: Client, accountId: number, merged: number, remaining: number): Promise<void> {
  await tx.query('update text.topic_alias set topic_id = $3 where account_id = $1 and topic_id = $2', [
    accountId,
    merged,
    remaining,
  ]);
  await tx.query('delete from text.topic where account_id = $1 and id = $2', [accountId, merged]);
}
