import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem } from '../support/api.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';

const files = await startFileStack();
const { stack, db } = files;
const { fixture, state, ask } = await openTextFixture(files);
const database = stack.databaseName;
const RELEASED = { status: 200, body: { total_count: 5 } };
const CALLS = 25;
let account: Account;

beforeAll(async () => {
  account = await fixture();
  await state(account, 'response', ...textResponses(5));
});

// Repeated, to cover an open circuit breaker.
async function expectErrors(): Promise<void> {
  for (let call = 0; call < CALLS; call += 1) expectProblem(await ask(account), 503);
}

async function endConnectionsOf(role: string): Promise<void> {
  await db.query(`revoke connect on database ${database} from public`);
  await db.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = $1', [
    role,
  ]);
}

describe('GET /v1/text_responses returns an error instead of an empty list [SCORES-AVAILABILITY-1]', () => {
  it('when the database is unavailable', async () => {
    for (let call = 0; call < 3; call += 1) expect(await ask(account)).toMatchObject(RELEASED);
    await endConnectionsOf('survey_text');
    for (let call = 0; call < CALLS; call += 1) expect((await ask(account)).status).toBeGreaterThanOrEqual(500);
    await expectErrors();
    await db.query(`grant connect on database ${database} to public`);
    await expect.poll(() => ask(account), { timeout: 10_000 }).toMatchObject(RELEASED);
  });

  it('when the database of scoring-anonymity is unavailable', async () => {
    await endConnectionsOf('survey_scoring');
    for (let call = 0; call < CALLS; call += 1) expect((await ask(account)).status).toBeGreaterThanOrEqual(500);
    await db.query(`grant connect on database ${database} to public`);
    await expect.poll(() => ask(account), { timeout: 10_000 }).toMatchObject(RELEASED);
  });

  it('when scoring-anonymity is unavailable', async () => {
    await stack.services['scoring-anonymity'][Symbol.asyncDispose]();
    await expectErrors();
  });
});

afterAll(() => db.query(`grant connect on database ${database} to public`));
