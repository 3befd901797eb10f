import type { Client } from '@survey/postgres/database.ts';
import { assignDeferredTopics } from '../facts/apply-topic-assignments.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { defaultLanguage } from '../tables/settings.ts';
import { insertTopics } from './topic-aliases.ts';
import { starterTopics } from './starter-topics.ts';
import { topicKey } from '../rules/topic-key.ts';

/**
 * Creates the starter topics, once, for an account that has never had a topic. Names are in the
 * language of the account's integration.
 */
export async function createStarterTopics(tx: Client, accountId: number): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  // Number of topics ever created; merging does not reduce it.
  if (state.topics > 0) return;
  const topics = starterTopics(await defaultLanguage(tx, accountId)).map(({ name, keywords }) => ({
    id: ++state.topics,
    key: topicKey(name),
    name,
    description: null,
    keywords: Object.fromEntries(keywords),
  }));
  state.taxonomy_version += 1;
  await insertTopics(tx, accountId, topics);
  await saveAccountState(tx, accountId, state);
  const awaited = topics.map(({ key }) => `topic ${key}`);
  await assignDeferredTopics(tx, accountId, state, awaited);
}
