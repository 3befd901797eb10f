import type { Shape } from './shape.ts';
import { bodyAttack } from './bodies.ts';

/** A limit of memory, what takes it away, and the input whose effect must then be noticed. */
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
    name: 'the size of a record',
    file: `${SNAPSHOT}/read-snapshot.ts`,
    limit: 'elementBytes: 8 * 2 ** 20',
    instead: 'elementBytes: 2 ** 31',
    shape: bodyAttack({ item: 'ab', repeated: 'one text', place: 'an e-mail address', encoding: 'none' }, [100_000_000]),
  },
];
