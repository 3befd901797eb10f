import type { Client } from '@survey/postgres/database.ts';

export interface KnownAnswer {
  readonly id: number;
  readonly response_id: string;
  readonly question_id: number;
  readonly text: string | null;
}

/** Returns the current and removed answers of these responses. */
export async function readKnownAnswers(tx: Client, accountId: number, responseIds: readonly string[]): Promise<KnownAnswer[]> {
  const { rows } = await tx.query<KnownAnswer>(
    'select id, response_id, question_id, content as text from text.answer where account_id = $1::bigint and response_id = any($2::uuid[])',
    [accountId, responseIds],
  );
  return rows;
}

export interface SavedAnswer extends KnownAnswer {
  readonly sortKey: bigint;
  readonly sequence: number;
}

const SAVE = `
insert into text.answer as kept (account_id, id, response_id, question_id, content, sort_key, sequence)
select $1::bigint, f.* from unnest($2::integer[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[]) f
on conflict (account_id, id) do update set content = excluded.content, sequence = excluded.sequence,
  content_version = kept.content_version + case when kept.content is distinct from excluded.content then 1 else 0 end`;

export async function saveAnswers(tx: Client, accountId: number, answers: readonly SavedAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query(SAVE, [
    accountId,
    answers.map(({ id }) => id),
    answers.map(({ response_id }) => response_id),
    answers.map(({ question_id }) => question_id),
    answers.map(({ text }) => text),
    answers.map(({ sortKey }) => String(sortKey)),
    answers.map(({ sequence }) => sequence),
  ]);
}

// Results of a removed text. Account admins' decisions do not depend on the text and stay.
const FORGET = [
  'delete from text.masked_text where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.block_answer where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.pending where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.given_up where account_id = $1::bigint and answer = any($2::integer[])',
  "delete from text.topic_assignment where account_id = $1::bigint and answer = any($2::integer[]) and origin = 'auto'",
  `update text.topic_assignment set sentiment = null, sentiment_version = null
   where account_id = $1::bigint and answer = any($2::integer[]) and sentiment_version is not null`,
];

/** Deletes the results of these answers' previous texts. */
export async function forgetResults(tx: Client, accountId: number, answers: readonly number[]): Promise<void> {
  if (answers.length === 0) return;
  for (const statement of FORGET) await tx.query(statement, [accountId, answers]);
}
