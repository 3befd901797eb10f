import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Principal } from '@survey/rpc/call-context.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { ServiceDefinition } from '@survey/rpc/definition.ts';
import { connectUpstream, type Upstream } from '@survey/rpc/upstream.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// Actions that account-admin permits to the web console for a user, checked in the transaction of
// each call.
const { stack, operator, db, importAndWait } = await shareStack();
const topics = connectUpstream(TopicServiceDefinition, stack.services['account-admin'].address, toolOf('test'));
afterAll(() => topics[Symbol.dispose]());

const ISSUER = 'https://issuer.example';
const by = { issuer: ISSUER, subject: 'admin' };
const UUID = '01890000-0000-7000-8000-000000000000';
let accountId: number;
let admin: number;
let respondee: number;
let foreignAdmin: number;

beforeAll(async () => {
  const account = await operator.createAccount();
  accountId = account.accountId;
  await operator.admin.setIssuers(
    { account_id: accountId, issuers: [ISSUER] },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  const record = R(0, { role: 'Admin' });
  await importAndWait(account, [record, ...records(1, 3)]);
  await operator.admin.findAdminAccounts(
    { ...by, verified_email: String(record['email']) },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  const other = await operator.createAccount();
  await importAndWait(other, [R(0, { role: 'Admin' }), ...records(1, 9)]);
  const idOf = async (account_id: number, importId: string): Promise<number> => {
    const { rows } = await db.query<{ id: string }>('select id from imports.employee where account_id = $1 and import_id = $2', [
      account_id,
      importId,
    ]);
    return Number(rows[0]?.id);
  };
  admin = await idOf(accountId, 'E0');
  respondee = await idOf(accountId, 'E1');
  // An id that does not exist in the account.
  foreignAdmin = (await idOf(other.accountId, 'E9')) + 1_000;
});

type Unary = readonly [string, (caller: { onBehalfOf: Principal }) => Promise<unknown>];

const OPERATORS_ONLY = new Set([
  'createAccount',
  'listAccounts',
  'setIssuers',
  'showIssuers',
  'inviteAdmin',
  'withdrawInvitation',
  // For whoever opens a link, who acts for nobody.
  'confirmNoticeAddress',
  'endNotices',
  'showAccess',
  'showEmployee',
  'deleteAccount',
  'cancelAccountDeletion',
  'showAccountDeletion',
  'replayAccountDeletions',
  'replayEvents',
  'listFactPositions',
  'eraseEmployee',
  'showEmployeeErasure',
  'exportEmployee',
  'replayEmployeeErasures',
  'listDeadLetters',
  'countDeferredFacts',
  'rebuildText',
  'maskTexts',
  'retryText',
  'rollBackTopicModel',
]);
const WITHOUT_ACCOUNT = new Set(['createAccount', 'listAccounts', 'findAdminAccounts']);

// Every unary method, with a request that satisfies all of them.
const request = () => ({
  account_id: accountId,
  import_uuid: UUID,
  key_id: UUID,
  email: 'invited@example.com',
  scope: 'read',
  name: 'Name',
  action: 'download',
  what: '',
  issuers: [],
  source: 'x',
  employee_id: admin,
  id: 1,
  address_id: 1,
  token: 't',
  topic: 'Pay',
  into: 'Canteen',
  handles: ['1'],
  limit: 1,
  offset: 0,
  after_seconds: 0,
  language: 'en',
  words: [],
  texts: [],
  keywords: {},
  stage: 'mask',
  grace_seconds: 0,
  reason: 'because',
  masking_categories: null,
  issuer: 'https://issuer.example.com',
  subject: 's',
  verified_email: '',
});

function methods(): Unary[] {
  const options = (caller: object) => ({ caller: { requestId: 'test', accountId, ...caller }, deadlineMs: 10_000 });
  const unary = <D extends ServiceDefinition>(definition: D, upstream: Upstream<D>): Unary[] =>
    Object.entries(definition.methods)
      .filter(([, { requestStream, responseStream }]) => !requestStream && !responseStream)
      .map(([name]) => [name, (caller) => Reflect.get(upstream, name)(request(), options(caller))]);
  return [...unary(AccountAdminServiceDefinition, operator.admin), ...unary(TopicServiceDefinition, topics)];
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    return error instanceof ApplicationError ? error.code : 'fault';
  }
}

describe('on behalf of an employee', () => {
  it('rejects another user of the issuer, and the same user once the link is removed', async () => {
    const { admin: ask } = operator;
    const show = (subject: string) =>
      codeOf(
        ask.showAccount(
          { account_id: accountId },
          {
            caller: { requestId: 'test', onBehalfOf: { kind: 'admin', employeeId: admin, issuer: ISSUER, subject } },
            deadlineMs: 10_000,
          },
        ),
      );
    expect([await show('admin'), await show('another')]).toEqual(['ok', 'forbidden']);
    const linked = await db.query('delete from admin.identity where account_id = $1 returning *', [accountId]);
    expect(await show('admin')).toBe('forbidden');
    await db.query('insert into admin.identity select * from jsonb_populate_record(null::admin.identity, $1)', [
      JSON.stringify(linked.rows[0]),
    ]);
  });

  it.each(methods().filter(([name]) => !OPERATORS_ONLY.has(name) && !WITHOUT_ACCOUNT.has(name)))(
    'rejects %s with forbidden unless the employee is an Admin of the account',
    async (_, call) => {
      for (const employeeId of [respondee, foreignAdmin, 0])
        expect(await codeOf(call({ onBehalfOf: { kind: 'admin', employeeId, ...by } }))).toBe('forbidden');
      expect(await codeOf(call({ onBehalfOf: { kind: 'invited', invitationId: 999_999, ...by } }))).toBe('forbidden');
      expect(['forbidden', 'fault']).not.toContain(
        await codeOf(call({ onBehalfOf: { kind: 'admin', employeeId: admin, ...by } })),
      );
    },
  );

  it.each(methods().filter(([name]) => OPERATORS_ONLY.has(name)))(
    'rejects %s with forbidden: it is for operators',
    async (_, call) => {
      expect(await codeOf(call({ onBehalfOf: { kind: 'admin', employeeId: admin, ...by } }))).toBe('forbidden');
    },
  );

  it('rejects the settings that operators decide', async () => {
    for (const setting of [{ masking_entitled: true }, { rate_limit: 5 }]) {
      const change = { account_id: accountId, masking_categories: null, ...setting };
      const caller = { requestId: 'test', onBehalfOf: { kind: 'admin', employeeId: admin, ...by } } as const;
      expect(await codeOf(operator.admin.setSettings(change, { caller, deadlineMs: 10_000 }))).toBe('forbidden');
    }
  });
});
