import type { Client } from '@survey/postgres/database.ts';
import type { DictionaryIds } from '../rules/dictionary-ids.ts';
import { Dictionary, type DictionaryRow } from '../rules/dictionary.ts';

export async function loadDictionary(tx: Client, accountId: number, ids: DictionaryIds): Promise<Dictionary> {
  const { rows } = await tx.query<DictionaryRow>(
    `select a.id as attribute_id, a.name_key, o.id as option_id, o.name as option_name
     from imports.attribute a
     left join imports.attribute_option o on o.account_id = a.account_id and o.attribute_id = a.id
     where a.account_id = $1`,
    [accountId],
  );
  return new Dictionary(rows, ids);
}

/** Writes attributes and options that are used for the first time. */
export async function saveDictionary(tx: Client, accountId: number, dictionary: Dictionary): Promise<void> {
  const { attributes, options, next } = dictionary.additions();
  if (options.length === 0) return;
  for (const part of partsOf(attributes)) {
    await tx.query(
      `insert into imports.attribute (account_id, id, name, name_key)
       select $1, * from unnest($2::int[], $3::text[], $4::text[]) returning 1`,
      [accountId, part.map(({ id }) => id), part.map(({ name }) => name), part.map(({ key }) => key)],
    );
  }
  for (const part of partsOf(options)) {
    await tx.query(
      `insert into imports.attribute_option (account_id, id, attribute_id, name)
       select $1, * from unnest($2::int[], $3::int[], $4::text[]) returning 1`,
      [accountId, part.map(({ id }) => id), part.map(({ attributeId }) => attributeId), part.map(({ name }) => name)],
    );
  }
  await tx.query(
    `update imports.account_state
     set next_attribute_id = $2, next_option_id = $3, dictionary_version = dictionary_version + 1
     where account_id = $1`,
    [accountId, next.attributeId, next.optionId],
  );
}

// Parameters are sent as text: all options of a large account at once would be hundreds of
// megabytes.
const BATCH_SIZE = 10_000;

function* partsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += BATCH_SIZE) yield all.slice(from, from + BATCH_SIZE);
}
