import { AccountCache } from '@survey/postgres/account-cache.ts';
import type { Queryable } from '@survey/postgres/database.ts';
import type { DictionaryVersion } from './employees-page.ts';
import type { OptionFragment } from './render-employees.ts';

interface Dictionary extends DictionaryVersion {
  // Read only from database snapshots of this version, so names of two versions are never mixed.
  readonly fragments: Map<number, OptionFragment>;
  bytes: number;
}

// 150,000 options with usual names.
const MAX_BYTES = 64 * 2 ** 20;
// Of an option, in addition to its texts.
const OVERHEAD_BYTES = 200;

/**
 * Returns the fragments of at least these options, at version `current` of the account's
 * dictionary.
 */
type LoadFragments = (
  db: Queryable,
  accountId: number,
  current: DictionaryVersion,
  optionIds: readonly (readonly number[])[],
) => Promise<ReadonlyMap<number, OptionFragment>>;

/**
 * Caches the options that pages have needed, of the most recently used accounts. Only missing
 * options are read, because an attribute can have as many options as the account has employees.
 */
export function createOptionCache(maxBytes: number = MAX_BYTES): LoadFragments {
  const dictionaries = new AccountCache<Dictionary>({ maxSize: maxBytes, sizeOf: ({ bytes }) => bytes });
  return async (db, accountId, { version, timeline }, optionIds) => {
    const cached = dictionaries.get(accountId);
    const isCurrent = cached?.version === version && cached.timeline === timeline;
    const dictionary = isCurrent ? cached : { version, timeline, fragments: new Map<number, OptionFragment>(), bytes: 0 };
    const missingIds = missingFrom(dictionary.fragments, optionIds);
    if (missingIds.length > 0) {
      for (const option of await readOptions(db, accountId, missingIds)) {
        const fragment = fragmentOf(option);
        dictionary.fragments.set(option[0], fragment);
        dictionary.bytes += OVERHEAD_BYTES + 2 * (fragment.entry.length + fragment.value.length);
      }
      dictionaries.set(accountId, dictionary);
    }
    return dictionary.fragments;
  };
}

function missingFrom(fragments: ReadonlyMap<number, OptionFragment>, optionIds: readonly (readonly number[])[]): number[] {
  const missingIds = new Set<number>();
  for (const ids of optionIds) for (const id of ids) if (!fragments.has(id)) missingIds.add(id);
  return [...missingIds];
}

export function fragmentOf([id, name, attributeId, attributeName]: OptionRow): OptionFragment {
  const value = { id, name };
  const attribute = { id: attributeId, name: attributeName, attribute_values: [value] };
  // JSON.stringify returns flat text. A concatenation is a tree, which each page would flatten.
  return { attributeId, entry: JSON.stringify(attribute).slice(0, -']}'.length), value: JSON.stringify(value) };
}

type OptionRow = [id: number, name: string, attributeId: number, attributeName: string];

const OPTIONS = `
select o.*
from unnest($2::integer[]) as wanted (id) cross join lateral (
  select o.id, o.name, a.id, a.name
  from imports.attribute_option o
  cross join lateral (select a.id, a.name from imports.attribute a where a.account_id = $1::bigint and a.id = o.attribute_id offset 0) a
  where o.account_id = $1::bigint and o.id = wanted.id offset 0) o`;

/** Returns the current names of these options, each with its attribute. */
async function readOptions(db: Queryable, accountId: number, ids: readonly number[]): Promise<OptionRow[]> {
  const { rows } = await db.query<OptionRow>({ text: OPTIONS, values: [accountId, ids], rowMode: 'array' });
  return rows;
}
