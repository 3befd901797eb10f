import { ApplicationError } from '@survey/rpc/application-error.ts';
import { toolOf } from '@survey/process/tool.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { bindUpstream, type BoundUpstream, connectUpstream } from '@survey/rpc/upstream.ts';
import { afterAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { C2, openTextFixture, textResponses } from '../support/text-fixture.ts';
import { decision, textOperatorAt, topicFact, topicsOf } from '../support/topics.ts';

const files = await shareStack();
const { stack, db, operator } = files;
const { fixture, state, read } = await openTextFixture(files);
const asOperator = textOperatorAt(stack);
const upstream = connectUpstream(TopicServiceDefinition, stack.services['account-admin'].address, toolOf('test'));
afterAll(() => upstream[Symbol.dispose]());

const ADMIN_ID = 7_000;
const by = { issuer: 'https://issuer.example', subject: 'admin' };

/** Returns the calls of the account's admin, as the console makes them. */
function asAdmin({ accountId }: Account): BoundUpstream<TopicServiceDefinition> {
  const caller = { requestId: 'test', accountId, onBehalfOf: { kind: 'admin', employeeId: ADMIN_ID, ...by } as const };
  return bindUpstream(TopicServiceDefinition, upstream, () => ({ caller, deadlineMs: 20_000 }));
}

/**
 * Creates an account whose answers 1 to 4 of a released cycle and 5 and 6 of a withheld one are
 * about Pay.
 */
async function accountWithPay(): Promise<Account> {
  const account = await fixture();
  await db.query('insert into admin.account_issuer (account_id, issuer) values ($1, $2)', [account.accountId, by.issuer]);
  await arrangeEmployee(db, account.accountId, { id: ADMIN_ID, email: 'admin@x.io', role: 'Admin' });
  await operator.admin.findAdminAccounts(
    { ...by, verified_email: 'admin@x.io' },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  await state(account, 'topic', topicFact('Pay'), topicFact('Canteen'));
  await state(account, 'response', ...textResponses(4), ...textResponses(2, { from: 5, cycleId: C2 }));
  await state(account, 'topic_assignment', ...[1, 2, 3, 4, 5, 6].map((n) => decision(uuidOf(n), 'Pay')));
  return account;
}

const list = (account: Account, topic = 'Pay', offset = 0) => asAdmin(account).listTopicAnswers({ topic, limit: 50, offset });
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof ApplicationError ? error.code : String(error)),
  );

describe('the answers about a topic', () => {
  it('lists and counts the answers that GET /v1/text_responses returns, in its order, and no others [TEXTS-THRESHOLD-1]', async () => {
    const account = await accountWithPay();
    const shown = await read(account);
    const { answers, total } = await list(account);
    expect(answers.map(({ text }) => text)).toEqual(shown.responses.map(({ text }) => text));
    expect(total).toBe(4);
    expect((await list(account, 'Pay', 3)).answers).toEqual(answers.slice(3));
    expect((await asAdmin(account).countTopicAnswers({})).counts.map(({ answers: count }) => count)).toEqual([4]);
    const { topics } = await asAdmin(account).listTopics({});
    expect(topics.map(({ answers: count }) => count)).toEqual(topics.map(() => 0));
  });

  it('is withheld from operators', async () => {
    const account = await accountWithPay();
    const { accountId } = account;
    const request = { topic: 'Pay', limit: 50, offset: 0 };
    expect(await codeOf(asOperator(accountId).listTopicAnswers(request))).toBe('forbidden');
    expect(await codeOf(asOperator(accountId).listWithheldAnswers({ limit: 50, offset: 0 }))).toBe('forbidden');
  });
});

describe('reassigning', () => {
  it('moves answers to another topic or to none, and counts the decisions for training', async () => {
    const account = await accountWithPay();
    const { answers } = await list(account);
    const [first, second, third] = answers.map(({ handle }) => handle);
    await asAdmin(account).reassignTopic({ handles: [first ?? '', second ?? ''], topic: 'Pay', into: 'Canteen' });
    await asAdmin(account).reassignTopic({ handles: [third ?? ''], topic: 'Pay' });
    expect((await list(account)).answers).toEqual(answers.slice(3));
    expect((await list(account, 'Canteen')).answers.map(({ handle }) => handle)).toEqual([first, second]);
    const { responses } = await read(account);
    expect(responses.map(({ topics }) => topics.map(({ name }) => name))).toEqual([['Canteen'], ['Canteen'], [], ['Pay']]);
    const { rows } = await db.query<{ decisions: string }>('select decisions from text.account_state where account_id = $1', [
      account.accountId,
    ]);
    expect(Number(rows[0]?.decisions)).toBe(9);
  });

  it('returns not_found for withheld and unknown answers and changes nothing [TEXTS-THRESHOLD-4]', async () => {
    const account = await accountWithPay();
    const { rows } = await db.query<{ handle: string }>(
      'select sort_key::text as handle from text.answer where account_id = $1 and response_id = $2',
      [account.accountId, uuidOf(5)],
    );
    for (const handle of [rows[0]?.handle ?? '', '0', 'x']) {
      const request = { handles: [handle], topic: 'Pay', into: 'Canteen' };
      expect(await codeOf(asAdmin(account).reassignTopic(request))).toBe('not_found');
    }
    expect((await topicsOf(asOperator, account.accountId)).get('Canteen')).toMatchObject({ answers: 0 });
  });
});
