import type { Version } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';

/** Topic that a name in a fact refers to. */
export interface TopicAlias {
  readonly topicId: number;
  // Revision of the newest fact about it, under any of its names; undefined for topics created in
  // this service.
  readonly version: Version | undefined;
}

const FIND = `
select k.key, coalesce(s.topic_id, t.id) as topic_id, n.revision, n.digest
from unnest($2::text[]) k (key)
left join text.topic_alias s on s.account_id = $1::bigint and s.name_key = k.key
left join text.topic t on t.account_id = $1::bigint and t.name_key = k.key
left join lateral (
  select o.revision, o.digest from text.topic_alias o
  where o.account_id = $1::bigint and o.topic_id = coalesce(s.topic_id, t.id) order by o.revision desc, o.digest desc limit 1
) n on true
where coalesce(s.topic_id, t.id) is not null`;

interface FoundRow {
  key: string;
  topic_id: number;
  revision: number | null;
  digest: Buffer | null;
}

/**
 * Resolves topic names in facts: the topic published under the name, else the one that has it now.
 */
export async function findTopicAliases(tx: Client, accountId: number, keys: readonly string[]): Promise<Map<string, TopicAlias>> {
  const { rows } = await tx.query<FoundRow>(FIND, [accountId, keys]);
  return new Map(
    rows.map(({ key, topic_id: topicId, revision, digest }) => [
      key,
      { topicId, version: revision === null || digest === null ? undefined : { revision, digest } },
    ]),
  );
}

interface SavedTopic {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly keywords: Readonly<Record<string, readonly string[]>>;
}

export async function insertTopics(tx: Client, accountId: number, topics: readonly SavedTopic[]): Promise<void> {
  if (topics.length === 0) return;
  await tx.query(
    `insert into text.topic (account_id, id, name_key, name, description, keywords)
     select $1::bigint, t.* from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) t
     returning 1`,
    [accountId, ...columnsOf(topics)],
  );
}

/**
 * Updates existing topics from facts. The name changes only while it is the one they were published
 * under.
 */
export async function updateTopics(tx: Client, accountId: number, topics: readonly SavedTopic[]): Promise<void> {
  if (topics.length === 0) return;
  await tx.query(
    `update text.topic t set name = case when t.name_key = f.key then f.name else t.name end,
       description = f.description, keywords = f.keywords, version = t.version + 1
     from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) f (id, key, name, description, keywords)
     where t.account_id = $1::bigint and t.id = f.id`,
    [accountId, ...columnsOf(topics)],
  );
}

function columnsOf(topics: readonly SavedTopic[]): unknown[][] {
  return [
    topics.map(({ id }) => id),
    topics.map(({ key }) => key),
    topics.map(({ name }) => name),
    topics.map(({ description }) => description),
    topics.map(({ keywords }) => JSON.stringify(keywords)),
  ];
}

/** Records the newest fact about a topic. */
export async function saveStatedTopics(
  tx: Client,
  accountId: number,
  topics: readonly (Version & { readonly key: string; readonly id: number })[],
): Promise<void> {
  await tx.query(
    `insert into text.topic_alias (account_id, name_key, topic_id, revision, digest)
     select $1::bigint, f.* from unnest($2::text[], $3::integer[], $4::bigint[], $5::bytea[]) f
     on conflict (account_id, name_key) do update set revision = excluded.revision, digest = excluded.digest`,
    [
      accountId,
      topics.map(({ key }) => key),
      topics.map(({ id }) => id),
      topics.map(({ revision }) => revision),
      topics.map(({ digest }) => digest),
    ],
  );
}
