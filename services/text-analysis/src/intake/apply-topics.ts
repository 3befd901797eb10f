import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { isNewer, latestByKey, parseFacts } from '@survey/bus/read-facts.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../sql/account-state.ts';
import { findTopicAliases, insertTopics, saveStatedTopics, updateTopics, type TopicAlias } from '../sql/topic-aliases.ts';
import { takeAssignmentsDeferredFor } from '../sql/deferred-facts.ts';
import { topicKey } from '../rules/topic-key.ts';
import { assignTopics } from './apply-topic-assignments.ts';

interface TopicFact {
  readonly incoming: IncomingFact;
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  // By language.
  readonly keywords: Readonly<Record<string, readonly string[]>>;
}

/**
 * Stores the account's topics. A topic that an account admin has renamed or merged in this service
 * keeps that name; facts still refer to it by the name under which it was published.
 */
export const applyTopics: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readTopic);
  const topics = latestByKey(valid, ({ key }) => key);
  const state = await lockAccountState(tx, accountId);
  const known = await findTopicAliases(
    tx,
    accountId,
    topics.map(({ key }) => key),
  );
  const newer = topics.filter(({ key, incoming }) => isNewerThanKnown(incoming, known.get(key)));
  if (newer.length > 0) await write(tx, accountId, state, newer, known);
  return rejected;
};

function isNewerThanKnown(incoming: IncomingFact, known: TopicAlias | undefined): boolean {
  return known?.version == null || isNewer(incoming, known.version);
}

async function write(
  tx: Client,
  accountId: number,
  state: AccountState,
  topics: readonly TopicFact[],
  known: ReadonlyMap<string, TopicAlias>,
): Promise<void> {
  const rows = topics.map((topic) => {
    const id = known.get(topic.key)?.topicId;
    return { ...topic, isNew: id === undefined, id: id ?? ++state.topics };
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
  const awaited = rows.map(({ key }) => `topic ${key}`);
  await assignTopics(tx, accountId, state, await takeAssignmentsDeferredFor(tx, accountId, awaited));
}

function readTopic(incoming: IncomingFact): TopicFact | RejectedFact {
  const { topic } = incoming.fact;
  if (topic == null) return { incoming, reason: 'is a fact of another kind than its subject' };
  const { name, description = null } = topic;
  if (name === '') return { incoming, reason: 'name is empty' };
  const keywords = Object.fromEntries(Object.entries(topic.keywords).map(([language, { words }]) => [language, words]));
  if (JSON.stringify([name, description, keywords]).includes('\\u0000')) {
    return { incoming, reason: 'it contains U+0000, which cannot be stored' };
  }
  return { incoming, key: topicKey(name), name, description, keywords };
}
