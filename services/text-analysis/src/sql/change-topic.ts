import type { Client } from '@survey/postgres/database.ts';
import { topicKey } from '../topics/topic-key.ts';
import type { Keywords } from './topics.ts';

/** Gives a topic another name. It goes on being found by the old one, and is still meant by it in facts. */
export async function renameTopic(tx: Client, accountId: number, topicId: number, name: string): Promise<void> {
  await keepOldName(tx, accountId, topicId, topicId);
  await tx.query(
    `update text.topic set name = $3::text, name_key = $4::text, match_names = coalesce(match_names, array[name])
     where account_id = $1::bigint and id = $2::integer`,
    [accountId, topicId, name, topicKey(name)],
  );
}

// Facts may go on calling it so: the lowest revision gives way to all of theirs.
const KEEP = `
insert into text.topic_alias (account_id, name_key, topic_id, revision, digest)
select t.account_id, t.name_key, $3::integer, '-9223372036854775808'::bigint, '' from text.topic t where t.account_id = $1::bigint and t.id = $2::integer
on conflict (account_id, name_key) do nothing`;

/** Makes the name that a topic has now mean `meantId` in facts, unless a fact has said what it means. */
export async function keepOldName(tx: Client, accountId: number, topicId: number, meantId: number): Promise<void> {
  await tx.query(KEEP, [accountId, topicId, meantId]);
}

/** Changes what a topic is found by. */
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
