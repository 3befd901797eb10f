import type { Client } from '@survey/postgres/database.ts';
import type { StageInput } from './pending.ts';

/** Returns the ids of the answers whose texts have not changed since they were processed. */
export async function unchangedTexts(
  tx: Client,
  accountId: number,
  answers: readonly Pick<StageInput, 'id' | 'textVersion'>[],
): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(
    `select f.id from unnest($2::integer[], $3::integer[]) f (id, content_version) cross join lateral (
       select from text.answer
       where account_id = $1::bigint and id = f.id and content_version = f.content_version and content is not null offset 0) a`,
    [accountId, answers.map(({ id }) => id), answers.map(({ textVersion }) => textVersion)],
  );
  return new Set(rows.map(({ id }) => id));
}
