import type { Shape } from './shape.ts';
import { bodyAttack } from './bodies.ts';

/** A limit in the sources, what takes it away, and the input whose effect must then be noticed. */
interface Limit {
  readonly name: string;
  // End of the file's name, and the text in it.
  readonly file: string;
  readonly limit: string;
  readonly instead: string;
  readonly shape: Shape;
}

const SNAPSHOT = 'import-reconciler/src/snapshot';

export const LIMITS: readonly Limit[] = [
  {
    name: 'the number of items that zod checks at a time',
    file: `${SNAPSHOT}/read-employee.ts`,
    limit: 'const ITEMS_AT_ONCE = 1_000',
    instead: 'const ITEMS_AT_ONCE = 1_000_000_000',
    shape: bodyAttack({ item: '0', repeated: 'items of a list', place: 'attributes', encoding: 'gzip' }),
  },
  {
    name: 'the number of findings that are listed',
    file: `${SNAPSHOT}/field-errors.ts`,
    limit: 'LISTED_MAX = 100',
    instead: 'LISTED_MAX = 1_000_000_000',
    shape: bodyAttack({ item: '0', repeated: 'values of one key', place: 'the value of an attribute', encoding: 'gzip' }),
  },
  {
    name: 'the size of a record',
    file: `${SNAPSHOT}/read-snapshot.ts`,
    limit: 'elementBytes: 8 * 2 ** 20',
    instead: 'elementBytes: 2 ** 31',
    shape: bodyAttack({
      item: '{"name":"a","value":{"name":"b"}}',
      repeated: 'items of a list',
      place: 'attributes',
      encoding: 'gzip',
    }),
  },
  {
    name: 'the number of keys, objects and lists of a record',
    file: `${SNAPSHOT}/read-snapshot.ts`,
    limit: 'elementNodes: ',
    instead: 'elementNodes: 1_000 * ',
    shape: bodyAttack({ item: '{}', repeated: 'items of a list', place: 'an unknown property', encoding: 'gzip' }),
  },
  {
    name: 'the number of findings of a record',
    file: `${SNAPSHOT}/read-employee.ts`,
    limit: 'const FINDINGS_MAX = 10_000',
    instead: 'const FINDINGS_MAX = 1_000_000_000',
    shape: bodyAttack({ item: '{}', repeated: 'items of a list', place: 'grants', encoding: 'gzip' }),
  },
];
