import { expect, it } from 'vitest';
import { Places } from './places.ts';

it('does no more at a time than there are places, in the order of asking, also after a failure', async () => {
  const places = new Places(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) =>
    places.take(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (n === 0) throw new Error('it failed');
    });
  const all = [0, 1, 2, 3].map((n) => work(n).catch(() => undefined));
  expect([begun, places.hasFree]).toEqual([[0, 1], false]);
  ends[0]?.();
  await all[0];
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await all[1];
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end();
  await Promise.all(all);
  expect(places.hasFree).toBe(true);
});
