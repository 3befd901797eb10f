import { connect } from '@nats-io/transport-node';
import { SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { CONSUMERS } from '@survey/bus/streams.ts';
import { onFailpoint } from '@survey/process/failpoint.ts';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { openScoreFixture } from '../support/score-fixture.ts';
import { scrape } from '../support/scrape.ts';

const file = await startFileStack();
const { stack, api, operator, importAndWait } = file;
const { fixture, ask } = await openScoreFixture(file);
const bus = await connect({ servers: stack.natsUrl });
afterAll(() => bus.close());
afterEach(() => onFailpoint(undefined));

type Labels = Readonly<Record<string, string>>;

/** Returns the value with at least these labels; undefined when there is none. */
async function measured(service: ServiceName, name: string, labels: Labels = {}): Promise<number | undefined> {
  const samples = await scrape(stack.services[service].probeAddress);
  const fits = (one: Labels): boolean => Object.entries(labels).every(([key, value]) => one[key] === value);
  return samples.find((sample) => sample.name === name && fits(sample.labels))?.value;
}

it('requests are counted and timed by route, method and status, under the pattern of the route', async () => {
  const { readKey } = await operator.createAccount();
  await api.get('/v1/employees', readKey);
  await api.get('/v1/employees?limit=none', readKey);
  await api.get('/v1/attributes/7/options', readKey);
  await api.get('/v1/nothing', readKey);
  const count = (route: string, status: string): Promise<number | undefined> =>
    measured('gateway', 'http_request_duration_seconds_count', { method: 'GET', route, status });
  await expect.poll(() => count('/v1/employees', '200')).toBe(1);
  await expect.poll(() => count('/v1/employees', '400')).toBe(1);
  await expect.poll(() => count('/v1/attributes/:attribute_id/options', '404')).toBe(1);
  await expect.poll(() => count('none', '404')).toBe(1);
  const calls = { method: '/survey.export.v1.ExportService/ListEmployees', outcome: 'ok' };
  expect(await measured('export', 'rpc_server_duration_seconds_count', calls)).toBe(1);
  const rejected = { method: '/survey.export.v1.ExportService/ListAttributeOptions', outcome: 'not_found' };
  expect(await measured('export', 'rpc_server_duration_seconds_count', rejected)).toBe(1);
});

it('imports are counted by how they ended, from 0 on, and those that have not', async () => {
  for (const state of ['applied', 'cancelled', 'failed'])
    expect(await measured('import-reconciler', 'imports_total', { state })).toBe(0);
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 5));
  expect(await measured('import-reconciler', 'imports_unfinished')).toBe(0);
  await importAndWait(account, [R(1)]);
  expect(await measured('import-reconciler', 'imports_total', { state: 'applied' })).toBe(1);
  expect(await measured('import-reconciler', 'import_total_duration_seconds_bucket', { state: 'applied', le: '1800' })).toBe(1);
  expect(await measured('import-reconciler', 'import_total_duration_seconds_count', { state: 'failed' })).toBe(0);
  const age = { consumer: 'import-reconciler', le: '60' };
  await expect.poll(() => measured('import-reconciler', 'bus_message_age_seconds_bucket', age)).toBeGreaterThanOrEqual(1);
  expect(await measured('import-reconciler', 'imports_total', { state: 'cancelled' })).toBe(1);
  // A job that no worker processes: it requires rules of a later version.
  const reopen = `update imports.import set state = 'accepted', finished_at = null, plan_version = 99 where account_id = $1 and state = 'cancelled'`;
  await file.db.query(reopen, [account.accountId]);
  expect(await measured('import-reconciler', 'imports_unfinished')).toBe(1);
});

// Only ever forward, because services compare times.
let aheadMs = 0;
const realNow = performance.now.bind(performance);
const leap = (ms: number): void => {
  aheadMs += ms;
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + aheadMs);
};

it.each([
  ['upload', 'accept.validated'],
  ['wait', 'import.claimed'],
  ['plan', 'import.loaded'],
  ['apply', 'apply.written'],
])('names the phase %s of an import that takes too long in it, while it runs and afterwards', async (phase, point) => {
  const account = await operator.createAccount();
  const slowness: Record<string, number | undefined> = {};
  onFailpoint(async (name) => {
    if (name !== point) return;
    leap(700_000);
    for (const each of ['upload', 'wait', 'plan', 'apply'])
      slowness[each] = await measured('import-reconciler', 'import_slowness_ratio', { phase: each });
  });
  const before = await measured('import-reconciler', 'import_duration_seconds_sum', { phase });
  const { importUuid } = await importAndWait(account, [R(1)]);
  for (const [each, ratio = 0] of Object.entries(slowness))
    expect({ each, isSlow: ratio > 10 }).toEqual({ each, isSlow: each === phase });
  expect(await measured('import-reconciler', 'import_duration_seconds_sum', { phase })).toBeGreaterThan((before ?? 0) + 690);
  expect(await measured('import-reconciler', 'import_records_total')).toBeGreaterThan(0);
  const { summary } = await operator.admin.showImport(
    { account_id: account.accountId, import_uuid: importUuid },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  const slow = Object.entries(summary?.phase_ms ?? {}).filter(([, ms]) => ms > 600_000);
  expect(slow.map(([each]) => each)).toEqual([phase]);
});

it('decisions are counted, released and suppressed, from 0 on', async () => {
  const decisions = (outcome: string): Promise<number | undefined> =>
    measured('scoring-anonymity', 'release_decisions_total', { kind: 'score', outcome });
  expect([await decisions('released'), await decisions('suppressed')]).toEqual([0, 0]);
  const account = await fixture();
  await ask(account, '11');
  expect(await decisions('suppressed')).toBe(2);
});

it('what waits for a consumer and what it got again is measured, for every consumer there is', async () => {
  for (const consumer of Object.keys(CONSUMERS)) {
    const service = SERVICES.find((name) => consumer.startsWith(name)) ?? 'gateway';
    await expect.poll(() => measured(service, 'bus_consumer_pending_messages', { consumer })).toBeGreaterThanOrEqual(0);
    // A message of an earlier test may be on its way.
    await expect.poll(() => measured(service, 'bus_oldest_message_seconds', { consumer })).toBe(0);
    expect(await measured(service, 'bus_redeliveries_total', { consumer })).toBe(0);
  }
  // Not a valid job, so it is redelivered.
  bus.publish('jobs.import', Buffer.from([255]));
  await expect
    .poll(() => measured('import-reconciler', 'bus_redeliveries_total', { consumer: 'import-reconciler' }))
    .toBeGreaterThan(0);
  expect(
    await measured('import-reconciler', 'bus_messages_total', { consumer: 'import-reconciler', outcome: 'failed' }),
  ).toBeGreaterThan(0);
});

it('exports circuit breakers, pools, event loop, heap and pending texts', async () => {
  for (const upstream of ['export.v1.Export', 'imports.v1.Import', 'scoring.v1.Scoring', 'text.v1.Text'])
    expect(await measured('gateway', 'rpc_circuit_breaker_open', { upstream: `survey.${upstream}Service` })).toBe(0);
  for (const service of SERVICES) {
    for (const state of ['busy', 'idle', 'waiting'])
      expect(await measured(service, 'database_connections', { state })).toBeGreaterThanOrEqual(0);
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes', 'nodejs_heap_size_limit_bytes'])
      expect(await measured(service, name)).toBeGreaterThanOrEqual(0);
  }
  for (const stage of ['mask', 'categorise', 'sentiment']) {
    expect(await measured('text-analysis', 'text_stage_oldest_pending_seconds', { stage })).toBe(0);
    expect(await measured('text-analysis', 'text_stage_answers_total', { stage, outcome: 'given_up' })).toBe(0);
  }
});

// Few values per label: none grows with accounts, employees or requests.
const OURS = 'service method route status outcome reason state stage consumer kind subject upstream source result phase le'.split(
  ' ',
);
const OF_NODE = 'quantile space type version major minor patch'.split(' ');

it('has no labels with data of accounts or employees', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, [R(1, { email: 'planted@x.io', firstname: 'Planted' })]);
  await api.get('/v1/employees?planted=planted', account.readKey);
  await api.get('/v1/planted', account.readKey);
  const samples = (await Promise.all(SERVICES.map((name) => scrape(stack.services[name].probeAddress)))).flat();
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
  expect([...names].filter((name) => ![...OURS, ...OF_NODE].includes(name))).toEqual([]);
  expect(JSON.stringify(samples)).not.toMatch(/planted/i);
});
