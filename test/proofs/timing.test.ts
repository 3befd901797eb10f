import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { C1, openTextFixture, textResponse } from '../support/text-fixture.ts';
import { uuidOf } from '../support/facts.ts';

// `npm run test:faults -- --only timing` sends more requests.
const PAIRS = Number(process.env['TIMING_PAIRS'] ?? 300);
const WARM_UP_PAIRS = 50;

const files = await startFileStack();
const { stack } = files;
const { fixture, state, people, read } = await openTextFixture(files);

/** Measures one request in milliseconds. */
async function time({ readKey }: Account, query: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://${stack.services.gateway.address}/v1/text_responses?${query}`, {
    headers: { 'x-api-key': readKey },
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return performance.now() - startedAt;
}

/**
 * Returns by how many standard deviations the first request of a pair is slower more often than by
 * chance; negative if the second is.
 */
async function measureDifference(account: Account, first: string, second: string): Promise<number> {
  let slower = 0;
  for (let pair = -WARM_UP_PAIRS; pair < PAIRS; pair += 1) {
    const isInOrder = Math.random() < 0.5;
    const one = await time(account, isInOrder ? first : second);
    const other = await time(account, isInOrder ? second : first);
    if (pair >= 0 && one > other === isInOrder) slower += 1;
  }
  return (slower - PAIRS / 2) / (Math.sqrt(PAIRS) / 2);
}

/**
 * Chance exceeds 3 standard deviations in 1 of 370 measurements, so a difference must occur twice.
 */
async function expectNoDifference(account: Account, first: string, second: string): Promise<void> {
  const measured = await measureDifference(account, first, second);
  console.log(`${PAIRS} pairs of ${first} and ${second}: ${measured.toFixed(1)} standard deviations`);
  if (Math.abs(measured) < 3) return;
  expect(Math.abs(await measureDifference(account, first, second))).toBeLessThan(3);
}

const NO_CYCLE = uuidOf(999);

describe('GET /v1/text_responses', { timeout: 600_000 }, () => {
  it('takes the same time for a cycle below its threshold and a cycle without responses [TEXTS-THRESHOLD-4]', async () => {
    const account = await fixture();
    await state(account, 'response', ...[1, 2].map((n) => textResponse({ n, texts: { 15: `text ${n}` } })));
    expect((await read(account)).total_count).toBe(0);
    await expectNoDifference(account, `survey_cycle_ids=${C1}`, `survey_cycle_ids=${NO_CYCLE}`);
  });

  it('takes the same time for an option with one respondent and one without respondents [TEXTS-THRESHOLD-4]', async () => {
    const account = await fixture();
    await people(account, [[1], [3], [3], [3]]);
    await state(account, 'response', ...[1, 2, 3, 4].map((n) => textResponse({ n, texts: { 15: `text ${n}` } })));
    expect((await read(account)).total_count).toBe(4);
    await expectNoDifference(account, 'attribute_option_ids=1', 'attribute_option_ids=2');
  });
});
