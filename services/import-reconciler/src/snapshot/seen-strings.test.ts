import { expect, it } from 'vitest';
import { SeenStrings } from './seen-strings.ts';

const STRINGS = 200_000;

it('tells that a string may have been added before only when it was', () => {
  const seen = new SeenStrings();
  for (let nth = 0; nth < STRINGS; nth += 1) {
    seen.add(`HR-${nth}`);
    seen.add(`person.${nth}@example.com`);
  }
  expect(seen.mayRepeat).toBe(false);
  seen.add('HR-0');
  expect(seen.mayRepeat).toBe(true);
});
