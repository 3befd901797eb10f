import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { expectProblem, type Answer } from '../support/api.ts';
import { openIntake, question, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { optionsOf } from '../support/scales.ts';

const { stack, api, operator, db } = await startFileStack();
const intake = await openIntake(stack);
const database = stack.databaseName;
const RELEASED = { status: 200, body: { score: 100, respondents: 5, suppressed: false } };
const CALLS = 25;
let account: Account;

beforeAll(async () => {
  account = await operator.createAccount();
  const { accountId } = account;
  await intake.publishFacts(accountId, 'survey', [survey(1)]);
  await intake.publishFacts(accountId, 'question', [question(11, { type: 'stars', answer_options: optionsOf(11) })]);
  await intake.publishFacts(accountId, 'response', answers({ 11: [5, 5, 5, 5, 5] }));
});

function score(): Promise<Answer> {
  return api.get('/v1/scores?question_ids=11&period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z', account.readKey);
}

// Repeated, to cover an open circuit breaker.
async function expectErrors(): Promise<void> {
  for (let call = 0; call < CALLS; call += 1) expectProblem(await score(), 503);
}

describe('GET /v1/scores returns an error instead of a score [SCORES-AVAILABILITY-1]', () => {
  it('when the database is unavailable', async () => {
    for (let call = 0; call < 3; call += 1) expect(await score()).toMatchObject(RELEASED);
    await db.query(`revoke connect on database ${database} from public`);
    await db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'survey_scoring'",
    );
    // Requests on broken connections fail as well.
    for (let call = 0; call < CALLS; call += 1) expect((await score()).status).toBeGreaterThanOrEqual(500);
    await expectErrors();
    await db.query(`grant connect on database ${database} to public`);
    await expect.poll(score, { timeout: 10_000 }).toMatchObject(RELEASED);
  });

  it('when scoring-anonymity is unavailable', async () => {
    await stack.services['scoring-anonymity'][Symbol.asyncDispose]();
    await expectErrors();
  });
});

afterAll(() => db.query(`grant connect on database ${database} to public`));
