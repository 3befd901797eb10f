import { inAccount, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskEmployee } from '@survey/text/masking/mask-employee.ts';
import type { Roster } from '@survey/text/masking/roster.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { lockAccountState } from '../tables/account-state.ts';
import { readTexts, saveMentionMasks, type StoredText } from './stored-texts.ts';

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
