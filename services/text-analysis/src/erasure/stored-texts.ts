import type { Client, Queryable } from '@survey/postgres/database.ts';

/** An answer's text, and its mask by any policy. */
export interface StoredText {
  readonly id: number;
  readonly text: string;
  readonly expectedLanguage: string | null;
  readonly masked: string | null;
}

/** Reads the texts of the answers in an id range. */
export async function readTexts(
  db: Queryable,
  accountId: number,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<StoredText[]> {
  const { rows } = await db.query<StoredText>(
    `select a.id, a.content as text, r.language as "expectedLanguage", m.content as masked
     from text.answer a join text.response r on r.account_id = a.account_id and r.id = a.response_id
     left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
     where a.account_id = $1::bigint and a.id >= $2::integer and a.id < $3::integer and a.content is not null`,
    [accountId, from, below],
  );
  return rows;
}

// Stages that process the old text now discard their result, so pending answers are due again.
const SAVE = `
with changed as (
  select * from unnest($2::integer[], $3::text[], $4::text[]) c (id, text, masked)
), answer as (
  update text.answer a set content = c.text, content_version = a.content_version + 1
  from changed c where a.account_id = $1::bigint and a.id = c.id and a.content <> c.text
), pending as (
  update text.pending p set dispatched = false, due_at = now()
  from changed c where p.account_id = $1::bigint and p.answer = c.id
)
update text.masked_text m set content = c.masked
from changed c where m.account_id = $1::bigint and m.answer = c.id and c.masked is not null`;

/** Replaces texts and their masks; the results of other stages stay. Requires lockAccountState. */
export async function saveMentionMasks(tx: Client, accountId: number, texts: readonly StoredText[]): Promise<void> {
  await tx.query(SAVE, [accountId, texts.map(({ id }) => id), texts.map(({ text }) => text), texts.map(({ masked }) => masked)]);
}
