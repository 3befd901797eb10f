import { type Client, inAccount, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskEmployee } from '@survey/text/masking/mask-employee.ts';
import type { Roster } from '@survey/text/masking/roster.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { lockAccountState } from '../tables/account-state.ts';

const BATCH = 500;

/**
 * Masks the employees of the roster in the stored texts with ids from `from`, originals included:
 * later masking no longer knows their names. Returns the first id that is left.
 */
export async function maskMentions(pool: Pool, accountId: number, roster: Roster, from: number): Promise<number> {
  const below = from + BATCH;
  const found = await inAccount(pool, accountId, (tx) => masksIn(tx, accountId, roster, { from, below }));
  // Nearly every batch mentions no employee and needs no lock.
  if (found.length > 0) {
    await inAccount(pool, accountId, async (tx) => {
      await lockAccountState(tx, accountId);
      await saveMentionMasks(tx, accountId, await masksIn(tx, accountId, roster, { from, below }));
    });
  }
  return below;
}

async function masksIn(
  db: Queryable,
  accountId: number,
  roster: Roster,
  range: { readonly from: number; readonly below: number },
): Promise<StoredText[]> {
  const masks: StoredText[] = [];
  for (const { id, text, expectedLanguage, masked } of await readTexts(db, accountId, range)) {
    const language = languageOf(text, expectedLanguage);
    const mask = (each: string): Promise<string> => maskEmployee(embeddedMasker, { text: each, language, roster });
    const after = { id, expectedLanguage, text: await mask(text), masked: masked === null ? null : await mask(masked) };
    if (after.text !== text || after.masked !== masked) masks.push(after);
  }
  return masks;
}

/** An answer's text, and its mask by any policy. */
interface StoredText {
  readonly id: number;
  readonly text: string;
  readonly expectedLanguage: string | null;
  readonly masked: string | null;
}

/** Reads the texts of the answers in an id range. */
async function readTexts(
  db: Queryable,
  accountId: number,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<StoredText[]> {
  const { rows } = await db.query<StoredText>(
    `select a.id, a.content as text, r.language as "expectedLanguage", m.content as masked
     from text.answer a
     cross join lateral (select language from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
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
  update text.pending set dispatched = false, due_at = now() where account_id = $1::bigint and ctid = any(array(
    select p.ctid from changed c, unnest(array['mask', 'categorise', 'sentiment']) s (stage) cross join lateral (
      select ctid from text.pending where account_id = $1::bigint and stage = s.stage and answer = c.id offset 0) p))
)
update text.masked_text m set content = c.masked
from changed c where m.account_id = $1::bigint and m.answer = c.id and c.masked is not null`;

/** Replaces texts and their masks; the results of other stages stay. Requires lockAccountState. */
async function saveMentionMasks(tx: Client, accountId: number, texts: readonly StoredText[]): Promise<void> {
  await tx.query(SAVE, [accountId, texts.map(({ id }) => id), texts.map(({ text }) => text), texts.map(({ masked }) => masked)]);
}
