import type { Queryable } from '@survey/postgres/database.ts';
import type { Topic } from '@survey/proto/text/v1/topics.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { topicKey } from '../rules/topic-key.ts';

/** By ISO 639-1 language. */
export type Keywords = Readonly<Record<string, readonly string[]>>;

export interface TopicRow extends Omit<Topic, 'keywords'> {
  readonly keywords: Keywords;
}

const SELECT = `
select t.id as topic_id, t.name, t.description, t.keywords, t.is_active, coalesce(t.match_names, array[t.name]) as match_names,
  (select count(*) from text.topic_assignment a
   where a.account_id = $1::bigint and a.topic_id = t.id and a.removed_at is null) as answers
from text.topic t
where t.account_id = $1::bigint`;

/** Lists all topics of the account, by name. */
export async function readTopics(db: Queryable, accountId: number): Promise<TopicRow[]> {
  const { rows } = await db.query<TopicRow>(`${SELECT} order by t.name_key`, [accountId]);
  return rows;
}

/** Returns the topic of that name, or undefined. */
export async function lookUpTopic(db: Queryable, accountId: number, name: string): Promise<TopicRow | undefined> {
  const { rows } = await db.query<TopicRow>(`${SELECT} and t.name_key = $2::text`, [accountId, topicKey(name)]);
  return rows[0];
}

/**
 * Returns the topic of that name.
 * @throws ApplicationError `not_found` when there is none.
 */
export async function findTopic(db: Queryable, accountId: number, name: string): Promise<TopicRow> {
  const topic = await lookUpTopic(db, accountId, name);
  if (topic === undefined) throw notFound(`account ${accountId} has no topic with this name: see topic list`);
  return topic;
}
