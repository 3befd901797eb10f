import { afterAll, expect, test } from 'vitest';
import { startFileRedis } from '../support/file-redis.ts';
import { checkInParallel } from './parallel-property.ts';
import { Histories, histories, sessionSchedules } from './session-histories.ts';

const SEEDS = Number(process.env['SESSION_SEEDS'] ?? 300);
const runs = new Histories((await startFileRedis()).url);
afterAll(() => runs[Symbol.asyncDispose]());

test(
  `a session is what the model says, whatever requests, people and providers do at once: ${SEEDS} histories`,
  { timeout: 600_000 },
  async () => {
    // Not `resolves`, whose message has no room for the counterexample.
    expect(await checkInParallel(SEEDS, histories, (history) => runs.run(history))).toBeUndefined();
  },
);

test('a session is what the model says in every order of the steps of two actors', { timeout: 600_000 }, async () => {
  const wrong: string[] = [];
  for (const schedule of sessionSchedules())
    await runs.run(schedule).catch((error: unknown) => wrong.push(`${schedule.name}: ${String(error)}`));
  expect(wrong).toEqual([]);
});
