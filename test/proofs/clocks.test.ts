import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '@survey/local/service-environments.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { CURRENT, startHistories } from '../failure/histories/histories.ts';
import { startWholeStack } from '../failure/whole-stack.ts';
import { reportSkipped } from '../support/skipped.ts';

const FAKETIME = fileURLToPath(new URL('../../.local/tools/libfaketime.so', import.meta.url));
const isMissing = !existsSync(FAKETIME);
if (isMissing) reportSkipped('clocks', 'processes with other clocks: `.ci/tools` brings libfaketime');

const VERSIONS = 3;
// As long as gateways take to hear of a revocation.
const REVOKED_WITHIN_MS = 2_000;
const KEY_SECONDS = 6;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
// How often libfaketime reads the clock's file.
const READ_MS = 1_000;

// The second of two instances of every service has another clock than the first, and than the
// stores. Both serve the same clients.
describe.skipIf(isMissing)('the second instance of every service', { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'survey-clocks-'));
  const clock = join(folder, 'clock');
  await writeFile(clock, '+0s\n');
  const moved = {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_CACHE_DURATION: String(READ_MS / 1_000),
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const environmentOf = ({ copy }: { copy: number }): Record<string, string> => (copy === 1 ? moved : {});
  const stack = await startWholeStack({ folder, copies: 2, running: 1, environmentOf });
  for (const service of SERVICES) await stack.instances[service][1]?.start();
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const routes = stack.gatewayUrls.map((url, at) => ({ name: `gateway ${at + 1}`, url, employees: CURRENT }));

  const LEAP_SECOND = Array.from({ length: 20 }, (_, at) => `-${(at + 1) / 20}s`);

  it('has a clock that the others do not have', async () => {
    await writeFile(clock, '+1h\n');
    const ahead = async (): Promise<number> => {
      const { headers } = await fetch(`${routes[1]?.url}/v1/surveys`);
      return Date.parse(headers.get('date') ?? '') - Date.now();
    };
    await expect.poll(ahead).toBeGreaterThan(3_500_000);
  });

  it.each(['+1h', '-1h', '+5m'])('accepts a key until it ends on the clock of PostgreSQL, with its own at %s', async (time) => {
    await writeFile(clock, `${time}\n`);
    await sleep(2 * READ_MS);
    const { operator, db } = stack;
    const { accountId: account_id } = await operator.createAccount();
    const { key, key_id } = await operator.admin.createKey({ account_id, scope: 'read' }, AS_OPERATOR);
    const end = `update admin.api_key set ends_at = clock_timestamp() + $2 * interval '1 second' where key_id = $1`;
    await db.query(end, [key_id, KEY_SECONDS]);
    const hasEnded = async (): Promise<boolean> => {
      const has = 'select ends_at <= clock_timestamp() as has_ended from admin.api_key where key_id = $1';
      return (await db.query<{ has_ended: boolean }>(has, [key_id])).rows[0]?.has_ended ?? false;
    };
    for (const { name, url } of routes) {
      const statuses: [endedBefore: boolean, status: number, endedAfter: boolean][] = [];
      while (statuses.at(-1)?.[0] !== true) {
        const endedBefore = await hasEnded();
        const { status } = await fetch(`${url}/v1/surveys`, { headers: { 'x-api-key': key } });
        statuses.push([endedBefore, status, await hasEnded()]);
      }
      const wrong = statuses.filter(([before, status, after]) => (before && status !== 401) || (!after && status !== 200));
      expect({ name, wrong }).toEqual({ name, wrong: [] });
      // For the next gateway, which has not seen the key.
      await db.query(end, [key_id, KEY_SECONDS]);
    }
  });

  it.each([
    ['is an hour ahead', ['+1h']],
    ['is an hour behind', ['-1h']],
    ['is five minutes ahead', ['+5m']],
    ['is set forth and back', ['+1h', '-1h', '+5m', '-5m', '+0s']],
    ['smears a leap second', LEAP_SECOND],
  ])('shows one version per page, and never goes back, when its clock %s', async (_, times) => {
    await using histories = await startHistories(stack, { routes, revokedWithinMs: REVOKED_WITHIN_MS });
    await histories.progress(1);
    for (const time of times) {
      await writeFile(clock, `${time}\n`);
      await sleep(READ_MS);
    }
    await histories.progress(VERSIONS);
    expect(histories.anomalies()).toEqual([]);
    // A busy machine rejects some requests, but a clock must not prevent any.
    const { readKey } = await stack.operator.createAccount();
    for (const list of ['employees', 'surveys', 'text_responses', 'attributes'])
      for (const { url } of routes)
        await expect.poll(async () => (await fetch(`${url}/v1/${list}`, { headers: { 'x-api-key': readKey } })).status).toBe(200);
    expect(Object.values(stack.instances).flatMap((both) => both.flatMap(({ deaths }) => deaths))).toEqual([]);
  });
});
