import { environment } from '@survey/gateway/config.ts';
import { startGateway } from '@survey/gateway/service.ts';
import { roleUrl } from '@survey/local/service-environments.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { apiAt, expectProblem, type Answer, type Api } from '../support/api.ts';
import { conforming } from '../support/conformance.ts';
import { startFileStack } from '../support/file-stack.ts';
import { rateLimitOf } from '../support/rate-limit.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { api, db, operator, stack } = await startFileStack();
const gateways = new AsyncDisposableStack();
afterAll(() => gateways.disposeAsync());

/** Starts another gateway of this stack with its own limits. */
async function gatewayWith(limits: Readonly<Record<string, string>>): Promise<{ api: Api; probe: string }> {
  const { services, databaseUrl, natsUrl, redisUrl } = stack;
  const settings = readEnvironment(environment, {
    DATABASE_URL: roleUrl(databaseUrl, 'survey_gateway', inject('postgres').rolePasswords.survey_gateway),
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
    HTTP_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    EXPORT_ADDRESS: services.export.address,
    IMPORT_RECONCILER_ADDRESS: services['import-reconciler'].address,
    SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
    TEXT_ANALYSIS_ADDRESS: services['text-analysis'].address,
    MAX_EVENT_LOOP_DELAY_MS: '10000',
    ...limits,
  });
  const gateway = gateways.use(await startGateway(settings));
  return { api: conforming(apiAt(`http://${gateway.address}`)), probe: gateway.probeAddress };
}

async function expectSoon(holds: () => Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`cannot confirm the condition within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const some = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask));

describe('429 for a key that has used up its minute', () => {
  it('states when to retry and how many requests remain', async () => {
    const { api } = await gatewayWith({ RATE_LIMIT: '20' });
    const { readKey, writeKey } = await operator.createAccount();
    expect(rateLimitOf(await api.get('/v1/surveys', readKey))).toMatchObject({ q: 20, w: 60, r: 19 });
    expect(statusesOf(await some(19, () => api.get('/v1/surveys', readKey)))).toEqual(Array(19).fill(200));
    const rejected = await api.get('/v1/surveys', readKey);
    expectProblem(rejected, 429);
    const wait = Number(rejected.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(rateLimitOf(rejected)).toEqual({ q: 20, w: 60, r: 0, t: wait });
    const former = ['limit', 'remaining', 'reset'].map((name) => rejected.headers.get(`ratelimit-${name}`));
    expect(former).toEqual(['20', '0', String(wait)]);
    // The other key of the account has its own limit.
    expect(await api.get('/v1/surveys', writeKey)).toMatchObject({ status: 200 });
  });

  it('counts requests over all gateways', async () => {
    const [one, other] = [await gatewayWith({ RATE_LIMIT: '30' }), await gatewayWith({ RATE_LIMIT: '30' })];
    const { readKey } = await operator.createAccount();
    await some(15, () => one.api.get('/v1/surveys', readKey));
    await some(15, () => other.api.get('/v1/surveys', readKey));
    // Gateways sync every 200 ms, so each can exceed the limit by the requests in between.
    await expectSoon(async () => (await one.api.get('/v1/surveys', readKey)).status === 429);
    await expectSoon(async () => (await other.api.get('/v1/surveys', readKey)).status === 429);
  });

  it('counts per gateway while Redis is unavailable', async () => {
    const { api } = await gatewayWith({ RATE_LIMIT: '5', REDIS_URL: 'redis://127.0.0.1:1' });
    const { readKey } = await operator.createAccount();
    expect(statusesOf(await some(5, () => api.get('/v1/surveys', readKey)))).toEqual(Array(5).fill(200));
    expectProblem(await api.get('/v1/surveys', readKey), 429);
  });

  it('follows the limit of the account within 10 s', async () => {
    const { api } = await gatewayWith({ RATE_LIMIT: '5' });
    const { accountId, readKey } = await operator.createAccount();
    await some(5, () => api.get('/v1/surveys', readKey));
    expectProblem(await api.get('/v1/surveys', readKey), 429);
    await surveyctlAt(stack)(['settings', 'set', '--account', String(accountId), '--rate-limit', '5000']);
    await expectSoon(async () => rateLimitOf(await api.get('/v1/surveys', readKey))['q'] === 5_000);
    expect(await api.get('/v1/surveys', readKey)).toMatchObject({ status: 200 });
  });

  it('omits the remaining requests from responses that must be identical', async () => {
    const { readKey } = await operator.createAccount();
    const rejected = await api.get('/v1/attributes/1/options', readKey);
    expectProblem(rejected, 404);
    expect([...rejected.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });
});

describe('a hanging upstream service', () => {
  // Reads of surveys block at this lock until their deadline.
  async function whileSurveysHang(work: () => Promise<void>): Promise<void> {
    const client = await db.connect();
    try {
      await client.query('begin; lock table export.survey in access exclusive mode');
      await work();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('delays only its endpoint, whose requests are rejected at once when the queue is full', async () => {
    const { api } = await gatewayWith({ RATE_LIMIT: '100000', MAX_CONCURRENT_READS: '4' });
    const { readKey } = await operator.createAccount();
    const other = await operator.createAccount();
    await some(2, () => api.get('/v1/surveys', readKey));
    await whileSurveysHang(async () => {
      const startedAt = performance.now();
      const tookMs: Record<number, number> = {};
      const flood = some(80, async () => {
        const answer = await api.get('/v1/surveys', readKey);
        tookMs[answer.status] ??= performance.now() - startedAt;
        return answer;
      });
      await expectSoon(() => Promise.resolve(429 in tookMs));
      expect(await api.get('/v1/questions', readKey)).toMatchObject({ status: 200 });
      expect(await api.get('/v1/questions', other.readKey)).toMatchObject({ status: 200 });
      const rejected = (await flood).filter(({ status }) => status === 429);
      expect(rejected).toHaveLength(44);
      for (const answer of rejected) expect(expectProblem(answer, 429).detail && answer.headers.get('retry-after')).toBe('1');
      // Queued requests fail by the deadline.
      expect(tookMs[429]).toBeLessThan(tookMs[503] ?? 0);
    });
    await expectSoon(async () => (await api.get('/v1/surveys', readKey)).status === 200);
  });

  it('serves an account alternately with one that floods the service', async () => {
    const { api } = await gatewayWith({ RATE_LIMIT: '100000', MAX_CONCURRENT_READS: '1' });
    const [flooding, other] = [await operator.createAccount(), await operator.createAccount()];
    const order: string[] = [];
    const ask = async (name: string, key: string) => {
      const answer = await api.get('/v1/surveys', key);
      if (answer.status === 200) order.push(name);
    };
    await Promise.all([...Array.from({ length: 5 }, () => ask('flood', flooding.readKey)), ask('other', other.readKey)]);
    expect(order).toContain('other');
  });
});

describe('load shedding by event-loop delay', () => {
  it('returns 503 to the second request of an account but not to the first and not at the probe port, until the delay ends', async () => {
    const { api, probe } = await gatewayWith({ MAX_EVENT_LOOP_DELAY_MS: '20' });
    const [{ readKey }, other] = [await operator.createAccount(), await operator.createAccount()];
    await expectSoon(async () => (await api.get('/v1/surveys', readKey)).status === 200);
    let rejected: Answer | undefined;
    await expectSoon(async () => {
      // The gateway runs in this process.
      const free = performance.now() + 600;
      while (performance.now() < free);
      const answers = await Promise.all([readKey, readKey, other.readKey].map((key) => api.get('/v1/surveys', key)));
      expect([answers[0]?.status, answers[2]?.status]).toEqual([200, 200]);
      expect((await fetch(`http://${probe}/readyz`)).status).toBe(200);
      rejected = answers.find(({ status }) => status === 503);
      return rejected !== undefined;
    });
    if (rejected) expectProblem(rejected, 503);
    expect(rejected?.headers.get('retry-after')).toBe('2');
    await expectSoon(async () =>
      statusesOf(await some(3, () => api.get('/v1/surveys', readKey))).every((status) => status === 200),
    );
  });
});
