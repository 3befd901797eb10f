import type { Client } from '@survey/postgres/database.ts';

// $2: the topic that goes; $3: the one that stays. What an administrator decided wins over what was found automatically, and of two such decisions a
// removal; else what the topic that stays has.
const DROP_BEATEN = `
delete from text.topic_assignment kept using text.topic_assignment gone
where kept.account_id = $1::bigint and kept.topic_id = $3::integer
  and gone.account_id = kept.account_id and gone.answer = kept.answer and gone.topic_id = $2::integer
  and (gone.origin = 'admin', gone.removed_at is not null) > (kept.origin = 'admin', kept.removed_at is not null)`;

// Where both stay visible, what is said about either topic is now said about one.
const DROP_OTHERS = `
with dropped as (
  delete from text.topic_assignment gone using text.topic_assignment kept
  where gone.account_id = $1::bigint and gone.topic_id = $2::integer
    and kept.account_id = gone.account_id and kept.answer = gone.answer and kept.topic_id = $3::integer
  returning gone.answer
)
update text.topic_assignment kept set sentiment = null, sentiment_version = null
from dropped d
where kept.account_id = $1::bigint and kept.answer = d.answer and kept.topic_id = $3::integer
  and kept.removed_at is null and (kept.sentiment is null or kept.sentiment_version is not null)
returning kept.answer`;

// A sentiment that a person stated has no version: it stays.
const MOVE = `
update text.topic_assignment set topic_id = $3::integer, sentiment_version = null,
  sentiment = case when sentiment_version is null then sentiment end
where account_id = $1::bigint and topic_id = $2::integer
returning answer, removed_at is null and sentiment is null as is_unscored`;

// Whichever decision stays has the revision of the newer one: an older fact about either topic changes nothing.
const RAISE_REVISIONS = `
update text.topic_assignment x set revision = n.revision, digest = n.digest
from (
  select distinct on (answer) answer, revision, digest from text.topic_assignment
  where account_id = $1::bigint and topic_id in ($2::integer, $3::integer) and revision is not null
  order by answer, revision desc, digest desc
) n
where x.account_id = $1::bigint and x.topic_id in ($2::integer, $3::integer) and x.answer = n.answer and x.revision < n.revision`;

/** Makes every assignment of one topic one of another. Answers with the answers whose sentiment is to be scored anew (rule TEXTS-TOPICS-1). */
export async function mergeAssignments(tx: Client, accountId: number, gone: number, kept: number): Promise<number[]> {
  const ids = [accountId, gone, kept];
  await tx.query(RAISE_REVISIONS, ids);
  await tx.query(DROP_BEATEN, ids);
  const both = await tx.query<{ answer: number }>(DROP_OTHERS, ids);
  const moved = await tx.query<{ answer: number; is_unscored: boolean }>(MOVE, ids);
  return [...both.rows, ...moved.rows.filter(({ is_unscored }) => is_unscored)].map(({ answer }) => answer);
}

/** Removes a topic that no answer has any more: facts that name it mean the other one. */
export async function forgetTopic(tx: Client, accountId: number, gone: number, kept: number): Promise<void> {
  await tx.query('update text.topic_alias set topic_id = $3 where account_id = $1 and topic_id = $2', [accountId, gone, kept]);
  await tx.query('delete from text.topic where account_id = $1 and id = $2', [accountId, gone]);
}
