import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';

/**
 * Answer that account admins have decided about: topics that they assigned, and its other topics.
 */
export interface DecidedAnswer {
  readonly text: string;
  readonly expectedLanguage: string | null;
  readonly assigned: readonly number[];
  // Topics that were found automatically. No admin has removed them, but perhaps none has looked.
  readonly found: readonly number[];
}

const READ = `
with decided as (
  select distinct x.answer from text.topic_assignment x
  where x.account_id = $1::bigint and x.origin = 'admin' order by x.answer desc limit $2
)
select a.content as text, r.language as "expectedLanguage",
  array_remove(array_agg(case when x.origin = 'admin' and x.removed_at is null then x.topic_id end), null) as assigned,
  array_remove(array_agg(case when x.origin = 'auto' then x.topic_id end), null) as found
from decided d
cross join lateral (
  select id, response_id, content from text.answer
  where account_id = $1::bigint and id = d.answer and content is not null offset 0) a
cross join lateral (select language from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
cross join lateral (
  select topic_id, origin, removed_at from text.topic_assignment where account_id = $1::bigint and answer = a.id offset 0) x
group by a.id, a.content, r.language
order by a.id`;

/** Reads the `limit` latest answers that account admins have decided about, with the decisions. */
export async function readDecidedAnswers(tx: Client, accountId: number, limit: number): Promise<DecidedAnswer[]> {
  const { rows } = await tx.query<DecidedAnswer>(READ, [accountId, limit]);
  return rows;
}

export async function countDecisions(tx: Client, accountId: number, newDecisions: number): Promise<void> {
  if (newDecisions === 0) return;
  await tx.query('update text.account_state set decisions = decisions + $2 where account_id = $1', [accountId, newDecisions]);
  await markDue(tx, 'text', 'train', [accountId]);
}
