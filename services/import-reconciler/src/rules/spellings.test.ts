import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Spellings } from './spellings.ts';

describe('Spellings', () => {
  it('returns the spelling of the first record that is not removed [IMPORT-LIFECYCLE-SKIP-2]', () => {
    const record = fc.record({
      spelling: fc.constantFrom('Dept', 'DEPT', 'dept'),
      gap: fc.integer({ min: 1, max: 3 }),
      isSkipped: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), (records) => {
        let spellings: Spellings | undefined;
        let index = 0;
        const indexes = records.map(({ spelling, gap }) => {
          index += gap;
          if (spellings === undefined) spellings = new Spellings(spelling, index);
          else spellings.add(spelling, index);
          return index;
        });
        records.forEach(({ isSkipped }, at) => isSkipped && spellings?.remove(indexes[at] ?? 0));
        expect(spellings?.first()).toBe(records.find(({ isSkipped }) => !isSkipped)?.spelling);
      }),
    );
  });
});
