import type { Client } from '@survey/postgres/database.ts';

const OF_ANSWERS = ['pending', 'given_up', 'topic_assignment', 'masked_text'];

/** Deletes responses, all results of their texts, and the decisions about their topics. */
export async function deleteResponses(tx: Client, accountId: number, responseIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    'select id from text.answer where account_id = $1::bigint and response_id = any($2::uuid[])',
    [accountId, responseIds],
  );
  const answers = rows.map(({ id }) => id);
  for (const table of OF_ANSWERS)
    await tx.query(`delete from text.${table} where account_id = $1::bigint and answer = any($2::integer[])`, [
      accountId,
      answers,
    ]);
  await tx.query('delete from text.answer where account_id = $1::bigint and id = any($2::integer[])', [accountId, answers]);
  await tx.query('delete from text.response where account_id = $1::bigint and id = any($2::uuid[])', [accountId, responseIds]);
  // Decisions about topics that wait: their object_id begins with the id of the response.
  await tx.query(
    `delete from text.deferred_fact
     where account_id = $1::bigint and kind = 'topic_assignment' and split_part(object_id, ' ', 1) = any($2::text[])`,
    [accountId, responseIds],
  );
}
