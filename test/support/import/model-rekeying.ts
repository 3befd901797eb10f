import * as fc from 'fast-check';
import { isSameAddress } from './model-emails.ts';
import type { Organisation, Person } from './organisation.ts';
import { ADDRESS_OF, IMPORT_IDS } from './vocabulary.ts';

/** A map of import_ids, by the old ones or by e-mail address. */
export interface SentMap {
  readonly isByEmail: boolean;
  readonly rows: readonly (readonly [key: string, newImportId: string])[];
}

// Few ids, so that maps swap them, and name some that are taken.
const newId = fc.constantFrom(...IMPORT_IDS, 'N1', 'N2');
const rowsOf = (...keys: string[]) => fc.array(fc.tuple(fc.constantFrom(...keys), newId), { minLength: 1, maxLength: 4 });

export const sentMap: fc.Arbitrary<SentMap> = fc.oneof(
  fc.record({ isByEmail: fc.constant(false), rows: rowsOf(...IMPORT_IDS) }),
  fc.record({ isByEmail: fc.constant(true), rows: rowsOf(...Object.keys(ADDRESS_OF).slice(0, 11)) }),
);

/** Returns the organisation after a map (rule IMPORT-IDENTITY-16); undefined if it is refused. */
export function applySentMap({ people, attributes }: Organisation, { isByEmail, rows }: SentMap): Organisation | undefined {
  const named = rows.map(([key]) =>
    people.find((person) =>
      isByEmail
        ? !person.isDeleted && isSameAddress(person.email, key)
        : person.createdVia === 'import_api' && person.importId === key,
    ),
  );
  const isRefused = named.some((person, at) => {
    const isKnown = person !== undefined && !(isByEmail && person.createdVia === 'import_api');
    const isRepeated = named.indexOf(person) < at || rows.findIndex(([, id]) => id === rows[at]?.[1]) < at;
    const holder = people.find(({ createdVia, importId }) => createdVia === 'import_api' && importId === rows[at]?.[1]);
    return !isKnown || isRepeated || (holder !== undefined && !named.includes(holder));
  });
  if (isRefused) return undefined;
  const rekeyed = (person: Person): Person => {
    const row = rows[named.indexOf(person)];
    return row === undefined ? person : { ...person, createdVia: 'import_api', importId: row[1] };
  };
  return { people: people.map(rekeyed), attributes };
}
