import type { Client, Queryable } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import type { TopicRow } from './topics.ts';
import type { TopicView } from './categoriser.ts';

/**
 * Returns the cached topics of an account: the same array until they change, because compiled
 * matchers depend on its identity.
 */
export type FindTopicViews = (tx: Client, accountId: number) => Promise<readonly TopicView[]>;

interface CachedViews {
  readonly key: string;
  readonly topics: readonly TopicView[];
}

const MAX_ACCOUNTS = 500;
// Names and keywords of the topics that are looked for; a topic beyond them is not found in texts.
const MAX_WORDS = 100_000;

const VIEWS = `
select t.* from (
  select t.id as topic_id, t.name, t.keywords, coalesce(t.match_names, array[t.name]) as match_names, t.name_key,
    sum(1 + (select count(*) from jsonb_each(t.keywords) l, jsonb_array_elements(l.value))) over (order by t.id) as words
  from text.topic t where t.account_id = $1::bigint and t.is_active) t
where t.words <= ${MAX_WORDS} order by t.name_key`;

export function cacheTopicViews(): FindTopicViews {
  const cache = new LRUCache<number, CachedViews>({ max: MAX_ACCOUNTS });
  return async (tx, accountId) => {
    const current = await taxonomyKey(tx, accountId);
    const cached = cache.get(accountId);
    if (cached?.key === current) return cached.topics;
    const topics = (await tx.query<ViewRow>(VIEWS, [accountId])).rows.map(topicView);
    cache.set(accountId, { key: current, topics });
    return topics;
  };
}

type ViewRow = Pick<TopicRow, 'topic_id' | 'name' | 'keywords' | 'match_names'>;

export function topicView({ topic_id, keywords, match_names, name }: ViewRow): TopicView {
  // A rename does not change what matches (rule TEXTS-TOPICS-2).
  const [first = name, ...otherNames] = match_names;
  return { topicId: topic_id, name: first, otherNames, keywords: new Map(Object.entries(keywords)) };
}

/**
 * Returns a version that grows with every change that may affect topics; 0 without texts and
 * topics.
 */
export async function taxonomyVersion(db: Queryable, accountId: number): Promise<number> {
  const { rows } = await db.query<{ taxonomy_version: number }>(
    'select taxonomy_version from text.account_state where account_id = $1::bigint',
    [accountId],
  );
  return rows[0]?.taxonomy_version ?? 0;
}

/**
 * Returns a key that changes with the taxonomy, even if a restored or promoted database assigns a
 * version again.
 */
async function taxonomyKey(db: Queryable, accountId: number): Promise<string> {
  const { rows } = await db.query<{ key: string }>(
    `select ${TIMELINE} || '/' || coalesce((select taxonomy_version from text.account_state where account_id = $1::bigint), 0) as key`,
    [accountId],
  );
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0].key;
}
