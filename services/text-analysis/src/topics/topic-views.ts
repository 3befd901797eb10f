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

export function rememberTopicViews(): FindTopicViews {
  const remembered = new LRUCache<number, Remembered>({ max: MAX_ACCOUNTS });
  return async (tx, accountId) => {
    const current = await taxonomyKey(tx, accountId);
    const known = remembered.get(accountId);
    if (known?.key === current) return known.topics;
    const topics = (await readTopics(tx, accountId)).map(topicView);
    remembered.set(accountId, { key: current, topics });
    return topics;
  };
}

/**
 * Words that match a topic: the names it is matched by, which a rename does not change (rule
 * TEXTS-TOPICS-2), and its keywords.
 */
function topicView({ topic_id, name, description, keywords, match_names }: TopicRow): TopicView {
  const [first = name, ...others] = match_names;
  const languages = Object.entries(keywords);
  const inAny: [string, readonly string[]][] = languages.length === 0 && others.length > 0 ? [['en', []]] : languages;
  return {
    topicId: topic_id,
    name: first,
    description: description ?? undefined,
    keywords: new Map(inAny.map(([language, words]) => [language, [...words, ...others]])),
  };
}
