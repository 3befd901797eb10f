import type { Version } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';

/** Returns the ids of current and removed answers by `<response id> <question id>`. */
export async function findAnswers(
  tx: Client,
  accountId: number,
  named: readonly { readonly response_id: string; readonly question_id: number }[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ key: string; id: number }>(
    `select a.response_id || ' ' || a.question_id as key, a.id
     from text.answer a
     join unnest($2::uuid[], $3::bigint[]) n (response_id, question_id) using (response_id, question_id)
     where a.account_id = $1::bigint`,
    [accountId, named.map(({ response_id }) => response_id), named.map(({ question_id }) => question_id)],
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}

export interface Decision extends Version {
  readonly answer: number;
  readonly topicId: number;
  readonly sentiment: string | null;
  readonly removed: boolean;
}

const SAVE = `
insert into text.topic_assignment as kept (account_id, answer, topic_id, origin, sentiment, removed_at, revision, digest)
select $1::bigint, f.answer, f.topic_id, 'admin', f.sentiment, case when f.removed then now() end, f.revision, f.digest
from unnest($2::integer[], $3::integer[], $4::text[], $5::boolean[], $6::bigint[], $7::bytea[])
  f (answer, topic_id, sentiment, removed, revision, digest)
on conflict (account_id, answer, topic_id) do update set origin = 'admin', score = null, model_version = null,
  sentiment = excluded.sentiment, sentiment_version = null, removed_at = excluded.removed_at,
  revision = excluded.revision, digest = excluded.digest
where kept.revision is null or (excluded.revision, excluded.digest) > (kept.revision, kept.digest)
returning answer`;

/**
 * Saves account admins' decisions; the newer of two about one answer and topic stays. Returns the
 * changed answers.
 */
export async function saveDecisions(tx: Client, accountId: number, decisions: readonly Decision[]): Promise<number[]> {
  if (decisions.length === 0) return [];
  const { rows } = await tx.query<{ answer: number }>(SAVE, [
    accountId,
    decisions.map(({ answer }) => answer),
    decisions.map(({ topicId }) => topicId),
    decisions.map(({ sentiment }) => sentiment),
    decisions.map(({ removed }) => removed),
    decisions.map(({ revision }) => revision),
    decisions.map(({ digest }) => digest),
  ]);
  return [...new Set(rows.map(({ answer }) => answer))];
}
