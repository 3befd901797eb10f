import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startFaultyStack } from '../failure/faulty-stack.ts';
import { PATIENT, runImportSchedule, schedules } from '../failure/schedules/run-import-schedule.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-schedules-'));
const stack = await startFaultyStack({ folder, settings: PATIENT });
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

// `npm run test:faults -- --only schedules` runs all.
const EVERY = 7;

it(`ends as the model predicts in every ${EVERY}th order of the steps of two actors`, { timeout: 900_000 }, async () => {
  const some = schedules().filter((_, index) => index % EVERY === 0);
  const wrong: string[] = [];
  for (const schedule of some) wrong.push(...(await runImportSchedule(stack, schedule)));
  expect(wrong).toEqual([]);
  expect(some.length).toBeGreaterThan(10);
});
