import type { Client } from '@survey/postgres/database.ts';
import { topicKey } from '../rules/topic-key.ts';
import type { Keywords } from './topics.ts';

/**
 * Renames a topic. It is still matched by the old name, and facts with the old name still refer to
 * it.
 */
export async function renameTopic(tx: Client, accountId: number, topicId: number, name: string): Promise<void> {
  await keepOldName(tx, accountId, topicId, topicId);
  await tx.query(
    `update text.topic set name = $3::text, name_key = $4::text, match_names = coalesce(match_names, array[name])
     where account_id = $1::bigint and id = $2::integer`,
    [accountId, topicId, name, topicKey(name)],
  );
}

// Facts may still use the old name. The lowest revision lets any fact override this entry.
const KEEP = `
insert into text.topic_alias (account_id, name_key, topic_id, revision, digest)
select t.account_id, t.name_key, $3::integer, '-9223372036854775808'::bigint, '' from text.topic t where t.account_id = $1::bigint and t.id = $2::integer
on conflict (account_id, name_key) do nothing`;

/** Maps the topic's current name to `meantId` in facts, unless a fact has defined that name. */
export async function keepOldName(tx: Client, accountId: number, topicId: number, meantId: number): Promise<void> {
  await tx.query(KEEP, [accountId, topicId, meantId]);
}

/** Replaces the topic's keywords. */
export async function setSearchWords(
  tx: Client,
  accountId: number,
  topicId: number,
  { keywords, match_names }: { readonly keywords: Keywords; readonly match_names: readonly string[] },
): Promise<void> {
  await tx.query(
    `update text.topic set keywords = $3::jsonb, match_names = case when $4::text[] = array[name] then null else $4::text[] end, version = version + 1
     where account_id = $1::bigint and id = $2::integer`,
    [accountId, topicId, JSON.stringify(keywords), match_names],
  );
}
