import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ABLATIONS, huntWithout } from './ablations.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-ablations-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const LIMIT_MS = 300_000;

it('finds nothing wrong with the import as it is', { timeout: LIMIT_MS }, async () => {
  expect(await huntWithout(undefined, folder)).toEqual([]);
});

it.each(Object.keys(ABLATIONS))('finds out that an import without its %s goes wrong', { timeout: LIMIT_MS }, async (name) => {
  expect(await huntWithout(name, folder)).not.toEqual([]);
});
