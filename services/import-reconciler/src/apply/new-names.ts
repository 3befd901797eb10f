import type { Client } from '@survey/postgres/database.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { FIRST_NAMED_ID } from '../rules/dictionary-ids.ts';
import type { AccountState } from '../tables/account-lock.ts';
import { saveDictionary } from '../tables/stored-dictionary.ts';

/** Writes all that the dictionary has to write, so that it can be cleared. */
export async function saveNames(tx: Client, accountId: number, dictionary: Dictionary): Promise<void> {
  await saveDictionary(tx, accountId, dictionary);
  await saveSpellings(tx, dictionary);
}

/**
 * Deletes the new options that only records skipped after planning have set, and new attributes
 * without options. The first applied record decides the spelling of a new attribute (rule
 * IMPORT-LIFECYCLE-SKIP-2).
 * @param state before the import
 */
export async function dropUnusedNames(
  tx: Client,
  accountId: number,
  dictionary: Dictionary,
  { next_attribute_id: firstAttributeId, next_option_id: firstOptionId }: AccountState,
): Promise<void> {
  if (dictionary.next.optionId === firstOptionId) return;
  await saveSpellings(tx, dictionary);
  await tx.query(
    `with used as materialized (
       select distinct o.id from planned p cross join unnest(p.option_ids) as o (id) where not p.skipped and o.id >= $2
     )
     delete from imports.attribute_option o
     where o.account_id = $1 and o.id >= $2 and o.id < ${FIRST_NAMED_ID} and not exists (select from used u where u.id = o.id)`,
    [accountId, firstOptionId],
  );
  await tx.query(
    `with first_use as materialized (
       select o.attribute_id, min(p.index) as index
       from planned p cross join unnest(p.option_ids) as u (id)
       join imports.attribute_option o on o.account_id = $1 and o.id = u.id
       where not p.skipped and u.id >= $3 and o.attribute_id >= $2 and o.attribute_id < ${FIRST_NAMED_ID}
       group by o.attribute_id
     ), spelled as (
       select distinct on (f.attribute_id) f.attribute_id, s.name
       from first_use f join spelling s on s.attribute_id = f.attribute_id and s.index <= f.index
       order by f.attribute_id, s.index desc
     )
     update imports.attribute a set name = s.name from spelled s where a.account_id = $1 and a.id = s.attribute_id`,
    [accountId, firstAttributeId, firstOptionId],
  );
  await tx.query(
    `delete from imports.attribute a
     where a.account_id = $1 and a.id >= $2 and a.id < ${FIRST_NAMED_ID}
       and not exists (select from imports.attribute_option o where o.account_id = $1 and o.attribute_id = a.id)`,
    [accountId, firstAttributeId],
  );
}

async function saveSpellings(tx: Client, dictionary: Dictionary): Promise<void> {
  const spellings = dictionary.takeSpellings();
  await tx.query('insert into spelling select * from unnest($1::int[], $2::int[], $3::text[])', [
    spellings.map(({ attributeId }) => attributeId),
    spellings.map(({ index }) => index),
    spellings.map(({ name }) => name),
  ]);
}
