import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { taxonomyKey } from './taxonomy-version.ts';
import { readTopics, type TopicRow } from './topics.ts';
import type { TopicView } from './categoriser.ts';

/**
 * Returns the cached topics of an account: the same array until they change, because compiled
 * matchers depend on its identity.
 */
export type FindTopicViews = (tx: Client, accountId: number) => Promise<readonly TopicView[]>;

interface Remembered {
  readonly key: string;
  readonly topics: readonly TopicView[];
}

const MAX_ACCOUNTS = 500;

export function cacheTopicViews(): FindTopicViews {
  const remembered = new LRUCache<number, Remembered>({ max: MAX_ACCOUNTS });
  return async (tx, accountId) => {
    const current = await taxonomyKey(tx, accountId);
    const cached = remembered.get(accountId);
    if (cached?.key === current) return cached.topics;
    const topics = (await readTopics(tx, accountId)).filter(({ is_active }) => is_active).map(topicView);
    remembered.set(accountId, { key: current, topics });
    return topics;
  };
}

export function topicView({ topic_id, keywords, match_names, name }: TopicRow): TopicView {
  // A rename does not change what matches (rule TEXTS-TOPICS-2).
  const [first = name, ...otherNames] = match_names;
  return { topicId: topic_id, name: first, otherNames, keywords: new Map(Object.entries(keywords)) };
}
