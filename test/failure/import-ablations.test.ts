import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ABLATIONS, runWithAblation } from './ablations.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-ablations-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const LIMIT_MS = 300_000;

it('passes without an ablation', { timeout: LIMIT_MS }, async () => {
  expect(await runWithAblation(undefined, folder)).toEqual([]);
});

it.each(Object.keys(ABLATIONS))('fails when the import has no %s', { timeout: LIMIT_MS }, async (name) => {
  expect(await runWithAblation(name, folder)).not.toEqual([]);
});
