import type { Client } from '@survey/postgres/database.ts';
import { FIRST_NAMED_ID } from '../rules/dictionary-ids.ts';

/**
 * Names an attribute that facts created by the first of its spellings in byte order, since facts
 * have no order. Attributes that an import created keep their name (rule
 * IMPORT-ATTRIBUTES-NAMES-1).
 */
export async function canonicalizeSpellings(
  tx: Client,
  accountId: number,
  spellings: ReadonlyMap<string, string>,
): Promise<void> {
  if (spellings.size === 0) return;
  const { rowCount } = await tx.query(
    `update imports.attribute a set name = s.name
     from unnest($2::text[], $3::text[]) as s (key, name)
     where a.account_id = $1 and a.id >= ${FIRST_NAMED_ID} and a.name_key = s.key and s.name collate "C" < a.name collate "C"`,
    [accountId, [...spellings.keys()], [...spellings.values()]],
  );
  if (rowCount === 0) return;
  await tx.query('update imports.account_state set dictionary_version = dictionary_version + 1 where account_id = $1', [
    accountId,
  ]);
}
