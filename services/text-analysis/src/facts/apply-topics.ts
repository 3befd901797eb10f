import type { TopicLine } from '@survey/bus/lines/line.ts';
import { type ApplyFacts, isNewer, latestByKey, type Version } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../tables/account-state.ts';
import { findTopicAliases, insertTopics, saveStatedTopics, updateTopics, type TopicAlias } from '../topics/topic-aliases.ts';
import { topicKey } from '../rules/topic-key.ts';
import { assignDeferredTopics } from './apply-topic-assignments.ts';

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
