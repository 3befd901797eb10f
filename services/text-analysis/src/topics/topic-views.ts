import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { taxonomyKey } from '../sql/taxonomy-version.ts';
import { readTopics, type TopicRow } from '../sql/topics.ts';
import type { TopicView } from './categoriser.ts';

/** An account's topics as the analysis sees them: the same array as long as they are the same, since much is compiled from it. */
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

/** What shows a topic in an answer: not the name it has now, but those that it is found by (rule TEXTS-TOPICS-2), and its keywords. */
export function topicView({ topic_id, name, description, keywords, match_names }: TopicRow): TopicView {
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
