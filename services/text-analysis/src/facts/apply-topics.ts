import type { TopicLine } from '@survey/bus/lines/line.ts';
import { type ApplyFacts, isNewer, latestByKey, type Version, type ValidFact } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../tables/account-state.ts';
import { findTopicAliases, insertTopics, saveStatedTopics, updateTopics, type TopicAlias } from '../topics/topic-aliases.ts';
import { topicKey } from '../rules/topic-key.ts';
import { deferFacts, type DeferredFact, takeDeferredFor } from '@survey/bus/facts/deferred-facts.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { countDecisions } from '../topics/learning/decided-answers.ts';

interface TopicFact extends Version {
  readonly key: string;
  readonly content: TopicLine;
}

/**
 * Stores the account's topics. A topic that an account admin has renamed or merged in this service
 * keeps that name; facts still refer to it by the name under which it was published.
 */
export const applyTopics: ApplyFacts<'topic'> = async (tx, accountId, facts) => {
  const keyed = facts.map(({ content, revision, digest }) => ({ key: topicKey(content.name), content, revision, digest }));
  const topics = latestByKey(keyed, ({ key }) => key);
  const state = await lockAccountState(tx, accountId);
  const aliases = await findTopicAliases(
    tx,
    accountId,
    topics.map(({ key }) => key),
  );
  const newerTopics = topics.filter((topic) => isNewer(topic, aliases.get(topic.key)?.version));
  if (newerTopics.length > 0) await write(tx, accountId, state, newerTopics, aliases);
};

async function write(
  tx: Client,
  accountId: number,
  state: AccountState,
  topics: readonly TopicFact[],
  aliases: ReadonlyMap<string, TopicAlias>,
): Promise<void> {
  const rows = topics.map(({ content: { name, description, keywords }, ...topic }) => {
    const id = aliases.get(topic.key)?.topicId;
    const texts = { name, description: description ?? null, keywords: keywords ?? {} };
    return { ...topic, ...texts, isNew: id === undefined, id: id ?? ++state.topics };
  });
  await insertTopics(
    tx,
    accountId,
    rows.filter(({ isNew }) => isNew),
  );
  // Two names may mean one topic; then the newer fact decides.
  await updateTopics(
    tx,
    accountId,
    latestByKey(
      rows.filter(({ isNew }) => !isNew),
      ({ id }) => id,
    ),
  );
  await saveStatedTopics(tx, accountId, rows);
  state.taxonomy_version += 1;
  await saveAccountState(tx, accountId, state);
  const missingObjects = rows.map(({ key }) => `topic ${key}`);
  await assignDeferredTopics(tx, accountId, state, missingObjects);
}

type AssignmentFact = ValidFact<'topic_assignment'>;

const DEFERRED_ASSIGNMENTS = { schema: 'text', kind: 'topic_assignment' } as const;

/** Stores topic decisions of account admins. They always override automatically found topics. */
export const applyTopicAssignments: ApplyFacts<'topic_assignment'> = async (tx, accountId, facts) => {
  await decide(tx, accountId, await lockAccountState(tx, accountId), facts);
};

/**
 * Applies the assignments that were deferred until one of these exists: `response <id>` or
 * `topic <key>`. Needs lockAccountState.
 */
export async function assignDeferredTopics(
  tx: Client,
  accountId: number,
  state: AccountState,
  missingObjects: readonly string[],
): Promise<void> {
  for await (const facts of takeDeferredFor(tx, accountId, DEFERRED_ASSIGNMENTS, missingObjects))
    await decide(tx, accountId, state, facts);
}

async function decide(tx: Client, accountId: number, state: AccountState, facts: readonly AssignmentFact[]): Promise<void> {
  const assignments = latestByKey(facts, decisionKey);
  const answers = await findAnswers(
    tx,
    accountId,
    assignments.map(({ content }) => content),
  );
  const topics = await findTopicAliases(
    tx,
    accountId,
    assignments.map(({ content }) => topicKey(content.topic)),
  );
  const deferredFacts: DeferredFact[] = [];
  const decisions: Decision[] = [];
  for (const incoming of assignments) {
    const { response_id, question_id, topic: name, sentiment, removed } = incoming.content;
    const answer = answers.get(`${response_id} ${question_id}`);
    const topic = topics.get(topicKey(name));
    if (answer !== undefined && topic !== undefined) {
      const { revision, digest } = incoming;
      decisions.push({ answer, topicId: topic.topicId, sentiment, removed: removed ?? false, revision, digest });
    } else {
      const missingObject = answer === undefined ? `response ${response_id}` : `topic ${topicKey(name)}`;
      deferredFacts.push({ objectId: decisionKey(incoming), missingObject, incoming });
    }
  }
  await deferFacts(tx, accountId, DEFERRED_ASSIGNMENTS, deferredFacts);
  // Two names may mean one topic.
  const newestDecisions = latestByKey(decisions, ({ answer, topicId }) => `${answer} ${topicId}`);
  const changedAnswers = await saveDecisions(tx, accountId, newestDecisions);
  await countDecisions(tx, accountId, changedAnswers.length);
  if (state.stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], changedAnswers);
}

function decisionKey({ content: { response_id, question_id, topic } }: AssignmentFact): string {
  return `${response_id} ${question_id} ${topicKey(topic)}`;
}

/** Returns the ids of current and removed answers by `<response id> <question id>`. */
async function findAnswers(
  tx: Client,
  accountId: number,
  answers: readonly { readonly response_id: string; readonly question_id: number }[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ key: string; id: number }>(
    // With "offset 0": one index lookup per answer.
    `select n.response_id || ' ' || n.question_id as key, a.id
     from unnest($2::uuid[], $3::bigint[]) n (response_id, question_id) cross join lateral (
       select id from text.answer
       where account_id = $1::bigint and response_id = n.response_id and question_id = n.question_id offset 0) a`,
    [accountId, answers.map(({ response_id }) => response_id), answers.map(({ question_id }) => question_id)],
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}

interface Decision extends Version {
  readonly answer: number;
  readonly topicId: number;
  readonly sentiment: string | null;
  readonly removed: boolean;
}

const SAVE = `
insert into text.topic_assignment as kept (account_id, answer, topic_id, origin, sentiment, removed_at, revision, digest)
select $1::bigint, f.answer, f.topic_id, 'admin', f.sentiment, case when f.removed then now() end, f.revision, f.digest
from unnest($2::integer[], $3::integer[], $4::text[], $5::boolean[], $6::bigint[], $7::bytea[])
  f (answer, topic_id, sentiment, removed, revision, digest)
on conflict (account_id, answer, topic_id) do update set origin = 'admin', score = null, model_version = null,
  sentiment = excluded.sentiment, sentiment_version = null, removed_at = excluded.removed_at,
  revision = excluded.revision, digest = excluded.digest
where kept.revision is null or (excluded.revision, excluded.digest) > (kept.revision, kept.digest)
returning answer`;

/**
 * Saves account admins' decisions; of two about one answer and topic, the newer one counts. Returns
 * the changed answers.
 */
async function saveDecisions(tx: Client, accountId: number, decisions: readonly Decision[]): Promise<number[]> {
  if (decisions.length === 0) return [];
  const { rows } = await tx.query<{ answer: number }>(SAVE, [
    accountId,
    decisions.map(({ answer }) => answer),
    decisions.map(({ topicId }) => topicId),
    decisions.map(({ sentiment }) => sentiment),
    decisions.map(({ removed }) => removed),
    decisions.map(({ revision }) => revision),
    decisions.map(({ digest }) => digest),
  ]);
  return [...new Set(rows.map(({ answer }) => answer))];
}
