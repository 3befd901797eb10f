import * as fc from 'fast-check';
import type { Circumstances, SentAttribute, SentGrant, SentRecord } from './organisation.ts';
import {
  ADDRESS_OF,
  ATTRIBUTE_OF,
  BLANK_IMPORT_IDS,
  IMPORT_IDS,
  LANGUAGE_OF,
  PLAIN_VALUES,
  REJECTED_ROLES,
  ROLES,
  YEAR_VALUES,
} from './vocabulary.ts';

const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
// Simple values first: counterexamples shrink to them.
const mostly = <T>(usual: fc.Arbitrary<T>, weight: number, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, { arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });

const spelling = mostly(oneOf(['Dept', ' dePT ', 'Cost Center']), 3, oneOf(Object.keys(ATTRIBUTE_OF)));

const attribute: fc.Arbitrary<SentAttribute> = spelling.chain((name) => {
  const isDerived = ['age category', 'seniority'].includes(ATTRIBUTE_OF[name] ?? '');
  const value = isDerived ? mostly(oneOf(['1990', '2006', '2007']), 4, oneOf(YEAR_VALUES)) : oneOf(PLAIN_VALUES);
  return mostly(
    value.map((text): SentAttribute => ({ name, value: { name: text } })),
    3,
    fc.constant<SentAttribute>({ name, value: null }),
  );
});

const grant: fc.Arbitrary<SentGrant> = fc.record({
  attribute: fc.record({ name: spelling }),
  value: fc.record({ name: oneOf([...PLAIN_VALUES, '20-29', '1990', 'Nope']) }),
});

const permissions = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(null), weight: 1 },
  {
    arbitrary: fc.record({ all_data: fc.boolean(), grants: fc.array(grant, { maxLength: 3 }) }, { requiredKeys: [] }),
    weight: 4,
  },
);

const supervisor = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(null), weight: 1 },
  { arbitrary: oneOf(IMPORT_IDS), weight: 6 },
  { arbitrary: fc.constant('F1'), weight: 2 },
  { arbitrary: oneOf(['NOPE', '']), weight: 1 },
);

const role = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: oneOf(ROLES), weight: 6 },
  { arbitrary: fc.constant(null), weight: 1 },
  { arbitrary: oneOf(REJECTED_ROLES), weight: 1 },
);

const language = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: oneOf(['en', 'EN', 'de']), weight: 6 },
  { arbitrary: fc.constant(null), weight: 1 },
  { arbitrary: oneOf(Object.keys(LANGUAGE_OF)), weight: 1 },
);

const record = (import_id: string): fc.Arbitrary<SentRecord> => {
  const ownNumber = Math.max(1, IMPORT_IDS.indexOf(import_id) + 1);
  const own = ownNumber <= 5 ? `e${ownNumber}@x.io` : 'a+b@x.io';
  return fc.record(
    {
      import_id: fc.constant(import_id),
      email: fc.oneof({ withCrossShrink: true }, fc.constant(own), oneOf(Object.keys(ADDRESS_OF))),
      firstname: oneOf(['Ann', 'Mary_Ann', '']),
      lastname: oneOf(['Lee', 'Day']),
      language,
      role,
      reports_to_id: supervisor,
      permissions,
      attributes: fc.array(attribute, { maxLength: 3 }),
    },
    { requiredKeys: ['import_id', 'email', 'firstname', 'lastname'] },
  );
};

// Mostly the same employees again; few are new or omitted.
const importIds: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.oneof(
      { withCrossShrink: true },
      { arbitrary: fc.shuffledSubarray(IMPORT_IDS.slice(0, 5), { minLength: 1 }), weight: 1 },
      { arbitrary: fc.shuffledSubarray(IMPORT_IDS.slice(0, 4), { minLength: 3 }), weight: 4 },
      { arbitrary: fc.shuffledSubarray(IMPORT_IDS, { minLength: 1 }), weight: 1 },
    ),
    // Causes that cancel the whole import.
    mostly(
      fc.constant<string[]>([]),
      19,
      oneOf([...BLANK_IMPORT_IDS, 'E1', 'E2']).map((id) => [id]),
    ),
  )
  .map(([ids, more]) => [...ids, ...more]);

// How the addresses of a whole snapshot conflict, apart from records at random: each record wants
// the address of the next (with the last one open or closed to a cycle), or all want the same.
type AddressShape = (at: number, count: number) => number | undefined;
const addressShape: fc.Arbitrary<AddressShape> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant<AddressShape>(() => undefined), weight: 5 },
  { arbitrary: fc.constant<AddressShape>((at) => at + 1), weight: 1 },
  { arbitrary: fc.constant<AddressShape>((at, count) => (at + 1) % count), weight: 1 },
  { arbitrary: fc.constant<AddressShape>(() => 0), weight: 1 },
);

/** Generates a workforce snapshot with few employees, so that records collide. */
export const snapshot: fc.Arbitrary<SentRecord[]> = fc
  .tuple(
    importIds.chain((ids) => fc.tuple(...ids.map(record))),
    addressShape,
  )
  .map(([records, shape]) =>
    records.map((sent, at) => {
      const wanted = shape(at, records.length);
      const owner = wanted === undefined ? -1 : IMPORT_IDS.indexOf(records[wanted]?.import_id ?? '');
      return owner < 0 || owner > 4 ? sent : { ...sent, email: `e${owner + 1}@x.io` };
    }),
  );

// Rare: another year or language reprocesses every record, which hides the handling of unchanged
// ones.
export const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  year: mostly(fc.constant(2026), 9, oneOf([2027, 2036])),
  defaultLanguage: mostly(fc.constant('de'), 9, fc.constant('fr')),
  threshold: mostly(fc.constant('100'), 3, oneOf(['20', '0', '50', '33.3333', '33.3334', '12.5'])),
  deletesAllowed: mostly(fc.constant(false), 9, fc.constant(true)),
  identityThreshold: mostly(fc.constant('100'), 5, oneOf(['0', '33.3333', '50'])),
  onReturn: oneOf(['keep', 'reset'] as const),
});
