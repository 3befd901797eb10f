import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { assignment, cycle, initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { STARS } from '../support/score-fixture.ts';
import { C1, textResponse } from '../support/text-fixture.ts';

// Removes `account_id = $n` from every statement of a read. Row-level security must keep the
// result unchanged.
const { stack, api, operator, importAndWait, db } = await startFileStack();
const intake = await openIntake(stack);

const PATHS = [
  '/v1/employees?limit=1000',
  '/v1/surveys',
  '/v1/survey_cycles',
  '/v1/questions',
  '/v1/survey_assignments',
  '/v1/initiatives',
  '/v1/attributes',
  '/v1/attributes/1/options',
  '/v1/text_responses',
  '/v1/scores?question_ids=11&period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z',
];

/** Returns data of an account: same ids in both accounts, different texts and counts. */
async function fill(account: Account, word: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const { accountId } = account;
  await importAndWait(
    account,
    numbers.map((n) => ({
      import_id: `${word}${n}`,
      email: `${word}${n}@x.io`,
      firstname: word,
      lastname: word,
      attributes: [{ name: word, value: { name: `${word}${n}` } }],
    })),
  );
  const asked = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
  await operator.admin.releaseAttribute({ account_id: accountId, name: word }, asked);
  const surveys = numbers.map((n) => survey(n, { name: { en: word }, score_threshold: 3, text_threshold: 3 }));
  await intake.publishFacts(accountId, 'survey', surveys);
  const questions = numbers.map((n) => question(100 + n, { name: { en: word } }));
  await intake.publishFacts(accountId, 'question', [...questions, question(11, { ...STARS, name: { en: word } }), question(15)]);
  await intake.publishFacts(accountId, 'cycle', [cycle(C1), ...numbers.map((n) => cycle(uuidOf(800 + n)))]);
  await intake.publishFacts(
    accountId,
    'assignment',
    numbers.map((n) => assignment(n)),
  );
  await intake.publishFacts(
    accountId,
    'initiative',
    numbers.map((n) => initiative(uuidOf(700 + n), { title: word })),
  );
  await intake.publishFacts(
    accountId,
    'response',
    numbers.map((n) => textResponse({ n, texts: { 15: `${word} ${n}` } })),
  );
  const stars = numbers.map(() => (word === 'own' ? 5 : 1));
  await intake.publishFacts(accountId, 'response', answers({ 11: stars }, { from: 500 }));
}

interface Statement {
  text: string;
  name?: string;
}

// Except the statement that sets the account for row-level security.
const OF_ACCOUNT = /(?<!set local (?:survey\.)?)\b(\w+\.)?account_id = (\$\d+|\d+)(::\w+)?/g;
const forgetful = (text: string): string => text.replaceAll(OF_ACCOUNT, (condition) => `(${condition} or true)`);
const seen = new Map<string, unknown[]>();
let isForgotten: (text: string) => boolean = () => false;

// Services run in the process of the test, so the shared driver can change their statements.
const query: (...args: unknown[]) => unknown = Reflect.get(Client.prototype, 'query');
afterAll(() => {
  Reflect.set(Client.prototype, 'query', query);
});
Reflect.set(Client.prototype, 'query', function (this: Client, ...args: unknown[]): unknown {
  const [asked, values] = args;
  const statement: Statement = typeof asked === 'string' ? { text: asked } : (asked as Statement);
  const { text } = statement;
  if (forgetful(text) !== text) seen.set(text, (values ?? Object(asked).values ?? []) as unknown[]);
  if (isForgotten(text)) {
    if (typeof asked === 'string') args[0] = forgetful(text);
    else statement.text = forgetful(text);
    if (statement.name !== undefined) statement.name += ' without account';
  }
  return Reflect.apply(query, this, args);
});

async function readAll({ readKey }: Account): Promise<string[]> {
  const all: string[] = [];
  for (const path of PATHS) {
    const { status, body } = await api.get(path, readKey);
    all.push(`${path} ${status} ${JSON.stringify(body)}`);
  }
  return all;
}

// Runs the changed statement without row-level security, to show that it finds rows of other
// accounts.
async function rowsFor(text: string, values: unknown[]): Promise<number> {
  return (await db.query(text, values).catch(() => ({ rowCount: 0 }))).rowCount ?? 0;
}

it('hides rows of other accounts when a statement has no account filter', { timeout: 180_000 }, async () => {
  const [own, other] = [await operator.createAccount(), await operator.createAccount()];
  await fill(other, 'foreign', 8);
  await fill(own, 'own', 6);
  // Concurrently, before the account is in any cache.
  isForgotten = (text) => forgetful(text) !== text;
  const withoutAny = await readAll(own);
  isForgotten = () => false;
  seen.clear();
  const asIs = await readAll(own);
  expect(asIs.filter((answer) => !/ 200 \{.*(total_count":[1-9]|score":100)/.test(answer))).toEqual([]);
  expect(withoutAny).toEqual(asIs);
  expect(JSON.stringify(asIs)).not.toContain('foreign');
  const reads = [...seen].filter(([text]) => /^\s*(select|with)/i.test(text));
  let wouldShow = 0;
  for (const [text, values] of reads) {
    isForgotten = (one) => one === text;
    expect({ text, answers: await readAll(own) }).toEqual({ text, answers: asIs });
    isForgotten = () => false;
    if ((await rowsFor(forgetful(text), values)) > (await rowsFor(text, values))) wouldShow += 1;
  }
  expect(reads.length).toBeGreaterThan(8);
  expect(wouldShow).toBeGreaterThan(4);
});
