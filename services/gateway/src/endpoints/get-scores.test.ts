import type { Service } from '@survey/process/service.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Behind, keys, startAppUnderTest } from '../../../../test/support/app-under-test.ts';

const behind = new Behind();
let gateway: Service;
beforeAll(async () => {
  gateway = await startAppUnderTest(behind);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => Object.assign(behind, new Behind()));

const PERIOD = 'period_from=2024-01-01T00:00:00Z&period_to=2024-02-01T00:00:00%2B01:00';

function ask(query: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://${gateway.address}/v1/scores${query}`, { headers: { 'X-Api-Key': keys.read, ...headers } });
}

async function faultsOf(query: string): Promise<string[]> {
  const response = await ask(query);
  expect(response.status).toBe(400);
  expect(behind.scores).toEqual([]);
  const { errors } = (await response.json()) as { errors: { parameter: string; detail: string }[] };
  return errors.map(({ parameter, detail }) => `${parameter} ${detail.slice(0, 11)}`);
}

describe('GET /v1/scores', () => {
  it('returns 200 with the fields in the order of the contract, also for a score of 0', async () => {
    expect(await (await ask(`?question_ids=1&${PERIOD}`)).text()).toBe(
      '{"score":0,"unit":"favorability_percent","respondents":7,"suppressed":false,"suppression_reason":null}',
    );
    expect(await (await ask(`?question_ids=2&${PERIOD}`)).text()).toBe(
      '{"score":null,"unit":"favorability_percent","respondents":4,"suppressed":true,"suppression_reason":"below_anonymity_threshold"}',
    );
  });

  it('returns 412 for every If-Match but * [LISTS-ETAG-2]', async () => {
    const statusFor = async (known: string) => (await ask(`?question_ids=1&${PERIOD}`, { 'If-Match': known })).status;
    expect([await statusFor('"any"'), await statusFor('W/"any"'), await statusFor('*')]).toEqual([412, 412, 200]);
  });

  it('passes on numbers, and datetimes in UTC', async () => {
    await ask(`?question_ids=2,010,2&${PERIOD}`);
    const period = { period_from: '2024-01-01T00:00:00.000000Z', period_to: '2024-01-31T23:00:00.000000Z' };
    expect(behind.scores).toMatchObject([{ question_ids: [2, 10, 2], ...period }]);
  });

  it('passes on segments, and returns the participation by cycle [GUARD-SEGMENTS-3]', async () => {
    const response = await ask(`?question_ids=4&${PERIOD}&survey_ids=1,2&attribute_option_ids=3&participation=true`);
    expect(await response.json()).toMatchObject({ score: 50, participation: { c: { assigned: 10, respondents: 5 } } });
    expect(behind.scores).toMatchObject([
      { survey_ids: { ids: [1, 2] }, attribute_option_ids: { ids: [3] }, participation: true },
    ]);
  });

  it('returns 400 and names every missing parameter [SCORES-QUERY-1]', async () => {
    expect(await faultsOf('')).toEqual(['question_ids is required', 'period_from is required', 'period_to is required']);
  });

  it.each(['', '1,,2', ',1', '1,', '1;2', '%201', '+1', '-1', '1.0', '1e2', '0x1', '１', 'all', '99999999999999999999'])(
    'returns 400 for question_ids=%s',
    async (ids) => {
      expect(await faultsOf(`?question_ids=${ids}&${PERIOD}`)).toEqual(['question_ids must be int']);
    },
  );

  it('returns 400 when the period ends before it begins, and only then [SCORES-PERIOD-2]', async () => {
    const to = 'period_to=2024-01-01T00:00:00.000001Z';
    expect(await faultsOf(`?question_ids=1&period_from=2024-01-01T00:00:00.000002Z&${to}`)).toEqual(['period_from must not be']);
    expect((await ask(`?question_ids=1&period_from=2024-01-01T00:00:00.0000019Z&${to}`)).status).toBe(200);
  });

  it('returns 400 for parameters of other endpoints [SCORES-QUERY-5]', async () => {
    expect(await faultsOf(`?question_ids=1&${PERIOD}&survey_cycle_ids=1&limit=2`)).toEqual([
      'survey_cycle_ids is not a pa',
      'limit is not a pa',
    ]);
  });

  it('returns 400 and names the parameter when the service rejects it [SCORES-QUERY-4]', async () => {
    const response = await ask(`?question_ids=99&${PERIOD}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      detail: 'Query parameter question_ids names a question that does not exist.',
      errors: [{ parameter: 'question_ids', detail: 'names a question that does not exist' }],
    });
  });

  it('returns 500 rather than an inconsistent score [SCORES-THRESHOLD-1]', async () => {
    expect((await ask(`?question_ids=3&${PERIOD}`)).status).toBe(500);
  });
});
