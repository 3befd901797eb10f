import type { Queryable } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import type { OptionFragment } from './render-employees.ts';
import { readOptions, type OptionRow } from './sql/dictionary.ts';

interface Dictionary {
  // Filled from snapshots of this version alone, so the names in it never mix two versions.
  readonly version: number;
  readonly fragments: Map<number, OptionFragment>;
}

// About 300 bytes each.
const OPTIONS_HELD = 200_000;

/** The fragments of at least the options named, in the state that `version` of the account's dictionary has. */
export type LoadFragments = (
  db: Queryable,
  accountId: number,
  version: number,
  optionIds: readonly (readonly number[])[],
) => Promise<ReadonlyMap<number, OptionFragment>>;

/**
 * Remembers the options that pages needed, of the accounts asked for last. Only what a page lacks is read: an account may have an
 * attribute with as many options as employees.
 */
export function rememberOptions(): LoadFragments {
  const known = new LRUCache<number, Dictionary>({
    maxSize: OPTIONS_HELD,
    sizeCalculation: ({ fragments }) => fragments.size + 1,
  });
  return async (db, accountId, version, optionIds) => {
    const dictionary = sameVersion(known.get(accountId), version) ?? { version, fragments: new Map() };
    const missing = missingFrom(dictionary.fragments, optionIds);
    if (missing.length > 0) {
      for (const option of await readOptions(db, accountId, missing)) dictionary.fragments.set(option[0], fragmentOf(option));
      known.set(accountId, dictionary);
    }
    return dictionary.fragments;
  };
}

function sameVersion(dictionary: Dictionary | undefined, version: number): Dictionary | undefined {
  return dictionary?.version === version ? dictionary : undefined;
}

function missingFrom(fragments: ReadonlyMap<number, OptionFragment>, optionIds: readonly (readonly number[])[]): number[] {
  const missing = new Set<number>();
  for (const ids of optionIds) for (const id of ids) if (!fragments.has(id)) missing.add(id);
  return [...missing];
}

export function fragmentOf([id, name, attributeId, attributeName]: OptionRow): OptionFragment {
  return {
    attributeId,
    opening: `{"id":${attributeId},"name":${JSON.stringify(attributeName)},"attribute_values":[`,
    value: `{"id":${id},"name":${JSON.stringify(name)}}`,
  };
}
