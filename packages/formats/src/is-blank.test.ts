import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isBlank } from './is-blank.ts';

const invisible = fc.constantFrom(
  ...Array.from(' \t\n\u{0}\u{85}\u{a0}\u{ad}\u{61c}\u{180e}\u{200b}\u{200d}\u{2028}\u{202e}\u{2060}\u{3000}\u{feff}\u{e0001}'),
);

it('finds white space, controls and format characters blank [IMPORT-REQUEST-TEXTS-2]', () => {
  fc.assert(
    fc.property(fc.string({ unit: invisible }), (text) => {
      expect(isBlank(text)).toBe(true);
    }),
  );
});

it('finds no text blank that has another character [IMPORT-REQUEST-TEXTS-2]', () => {
  const visible = fc.constantFrom('a', '0', '_', '-', '\u{301}', '\u{4e00}', '\u{1f600}');
  fc.assert(
    fc.property(fc.string({ unit: invisible }), visible, fc.string({ unit: invisible }), (before, one, after) => {
      expect(isBlank(before + one + after)).toBe(false);
    }),
  );
});
