import type { Client } from '@survey/postgres/database.ts';
import type { DictionaryIds } from '../rules/dictionary-ids.ts';
import { Dictionary, type DictionaryRow, type UnknownNames } from '../rules/dictionary.ts';

/**
 * Names and options that a dictionary holds in memory at most, apart from what the records that are
 * being planned need: 30 MB with the longest names.
 */
export const MAX_IN_MEMORY: number = 50_000;

// Values of an attribute by name; former names that still mean a value are names of it.
const NAMED_OPTION = `
  select id, name, unused_since from imports.attribute_option where account_id = $1 and attribute_id = a.id
  union all
  select m.option_id, m.name, o.unused_since
  from imports.option_alias m
  cross join lateral (
    select unused_since from imports.attribute_option where account_id = $1 and id >= m.option_id order by id limit 1
  ) o
  where m.account_id = $1 and m.attribute_id = a.id and m.is_mapped`;

/** Loads the account's dictionary: the whole of a small one, and nothing of a larger one. */
export async function loadDictionary(tx: Client, accountId: number, ids: DictionaryIds): Promise<Dictionary> {
  const { rows } = await tx.query<DictionaryRow>(
    `select a.id as attribute_id, a.name_key, o.id as option_id, o.name as option_name, o.unused_since is not null as is_unused
     from imports.attribute a
     left join lateral (${NAMED_OPTION}) o on true
     where a.account_id = $1 limit ${MAX_IN_MEMORY + 1}`,
    [accountId],
  );
  return new Dictionary(rows.length > MAX_IN_MEMORY ? undefined : rows, ids);
}

// The lateral joins in index order force index lookups, whatever the planner knows of the account.
const KNOWN_NAMES = `
  select a.id as attribute_id, a.name_key, coalesce(o.id, m.option_id) as option_id, coalesce(o.name, m.name) as option_name,
    coalesce(o.unused_since, m.unused_since) is not null as is_unused
  from unnest($2::text[], $3::text[]) as n (key, value)
  join lateral (
    select id, name_key from imports.attribute where account_id = $1 and name_key >= n.key order by name_key limit 1
  ) a on a.name_key = n.key
  left join lateral (
    select id, name, unused_since from imports.attribute_option
    where account_id = $1 and attribute_id = a.id and name >= n.value order by name limit 1
  ) o on o.name = n.value
  left join lateral (
    select m.option_id, m.name, t.unused_since
    from (
      select option_id, name from imports.option_alias
      where account_id = $1 and attribute_id = a.id and is_mapped and name >= n.value order by name limit 1
    ) m cross join lateral (
      select unused_since from imports.attribute_option where account_id = $1 and id >= m.option_id order by id limit 1
    ) t
  ) m on m.name = n.value`;

// Options that no longer exist are included, because their ids are never used again. An array of
// unknown length is looked up in the index, ten times as fast as by lateral joins.
const KNOWN_OPTIONS = `
  select id, attribute_id from imports.attribute_option where account_id = $1 and id = any(array(select unnest($2::int[])))
  union all
  select id, attribute_id from imports.option_alias where account_id = $1 and id = any(array(select unnest($2::int[])))`;

const KNOWN_ATTRIBUTES = 'select id from imports.attribute where account_id = $1 and id = any($2::int[])';

/** Looks up what the dictionary says is missing. */
export async function lookUp(tx: Client, accountId: number, dictionary: Dictionary, unknown: UnknownNames): Promise<void> {
  for (const names of partsOf(unknown.names)) {
    const values = [accountId, names.map(({ key }) => key), names.map(({ value }) => value)];
    dictionary.learn({ rows: (await tx.query<DictionaryRow>(KNOWN_NAMES, values)).rows });
  }
  for (const ids of partsOf(unknown.optionIds)) {
    const { rows } = await tx.query<{ id: number; attribute_id: number }>(KNOWN_OPTIONS, [accountId, ids]);
    dictionary.learn({ options: rows });
  }
  for (const ids of partsOf(unknown.attributeIds)) {
    const { rows } = await tx.query<{ id: number }>(KNOWN_ATTRIBUTES, [accountId, ids]);
    dictionary.learn({ attributes: rows });
  }
}

/** Writes attributes and options that are used for the first time, or again. */
export async function saveDictionary(tx: Client, accountId: number, dictionary: Dictionary): Promise<void> {
  const { attributes, options, revived } = dictionary.takeAdditions();
  for (const part of partsOf(revived)) {
    await tx.query('update imports.attribute_option set unused_since = null where account_id = $1 and id = any($2::int[])', [
      accountId,
      part,
    ]);
  }
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
    [accountId, dictionary.next.attributeId, dictionary.next.optionId],
  );
}

// Parameters are sent as text: all options of a large account at once would be hundreds of
// megabytes.
const BATCH_SIZE = 10_000;

function* partsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += BATCH_SIZE) yield all.slice(from, from + BATCH_SIZE);
}
