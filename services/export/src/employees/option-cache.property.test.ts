import * as fc from 'fast-check';
import type { Queryable } from '@survey/postgres/database.ts';
import { expect, it } from 'vitest';
import { createOptionCache } from './option-cache.ts';

const RUNS = 200;
const page = fc.record({
  version: fc.integer({ min: 1, max: 3 }),
  timeline: fc.integer({ min: 1, max: 2 }),
  optionIds: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
});

// Names of options depend on the database snapshot of the page that reads them.
it('gives each page the names of its own version, whenever the reads of other pages end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(page, { minLength: 2, maxLength: 8 }), async (scheduler, pages) => {
      const loadFragments = createOptionCache();
      const load = async ({ version, timeline, optionIds }: (typeof pages)[number]): Promise<void> => {
        const name = (id: number): string => `option ${id} of ${timeline}/${version}`;
        const read = ({ values }: { values: [number, number[]] }) => ({ rows: values[1].map((id) => [id, name(id), 1, 'A']) });
        const query = scheduler.scheduleFunction((statement: Parameters<typeof read>[0]) => Promise.resolve(read(statement)));
        const fragments = await loadFragments({ query } as unknown as Queryable, 7, { version, timeline }, [optionIds]);
        for (const id of optionIds) expect(JSON.parse(fragments.get(id)?.value ?? 'null')).toEqual({ id, name: name(id) });
      };
      await scheduler.waitFor(Promise.all(pages.map(load)));
    }),
    { numRuns: RUNS },
  );
});

it('reads options again when their names do not fit into the cache, however few they are', async () => {
  const loadFragments = createOptionCache(10_000);
  const read: number[][] = [];
  const query = ({ values: [length, ids] }: { values: [number, number[]] }) => {
    read.push(ids);
    return Promise.resolve({ rows: ids.map((id) => [id, 'x'.repeat(length), 1, 'A']) });
  };
  // The id of the account is the length of its names.
  const load = (length: number) =>
    loadFragments({ query } as unknown as Queryable, length, { version: 1, timeline: 1 }, [[1, 2]]);
  for (const length of [10, 10, 5_000, 5_000]) await load(length);
  expect(read).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});
