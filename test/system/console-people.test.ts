import { afterAll, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// Rights in the web console follow what imports say about people.
const OPERATORS = 'https://staff.example/realms/ops';
const { stack, operator, db, importAndWait } = await startFileStack({ 'account-admin': { OPERATOR_ISSUERS: OPERATORS } });
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

async function invite(id: string) {
  const account = await operator.createAccount();
  await web.bind(account.accountId);
  const person = { id, name: id, email: `${id}@x.io` };
  await operator.admin.inviteAdmin({ account_id: account.accountId, email: person.email }, CALL);
  return { account, person, client: await web.signIn(person), keys: `/a/${account.accountId}/keys` };
}

const actorsOf = async (account_id: number, action: string) => {
  const { entries } = await operator.admin.listAudit({ account_id, action }, CALL);
  return entries.map(({ actor }) => actor).filter((actor) => actor !== 'operator');
};

it('ends the invitation and session of an admin whom an import demotes [AUTH-INVITATION-1]', async () => {
  const { account, person, client, keys } = await invite('demoted');
  await importAndWait(account, [R(0, { email: person.email, role: 'Admin' }), ...records(1, 9)]);
  expect(await client.get(keys)).toMatchObject({ status: 200 });
  await importAndWait(account, [R(0, { email: person.email, role: 'Manager' }), ...records(1, 9)]);
  expect(await client.get(keys)).toMatchObject({ status: 403 });
  await expect(web.signIn(person)).rejects.toThrow('403');
  expect(await actorsOf(account.accountId, 'admin.invite.end')).toEqual(['import-reconciler']);
});

it('ends it when an import offboards somebody who was never an Admin employee [AUTH-INVITATION-1]', async () => {
  const { account, person, client, keys } = await invite('offboarded');
  await importAndWait(account, [R(0, { email: person.email }), ...records(1, 9)]);
  expect(await client.get(keys)).toMatchObject({ status: 200 });
  await importAndWait(account, records(1, 9));
  expect(await client.get(keys)).toMatchObject({ status: 403 });
  await expect(web.signIn(person)).rejects.toThrow('403');
});

it('names an invited admin in the audit by issuer and subject, as long as it exists', async () => {
  const { account, person, client, keys } = await invite('guest');
  await client.submit(keys, keys, { name: 'BI', scope: 'read' });
  const named = [`guest@x.io (invitation 1: ${web.provider.issuer}, guest)`];
  expect(
    (await actorsOf(account.accountId, 'key.create')).map((actor) => actor.replace(/invitation \d+/, 'invitation 1')),
  ).toEqual(named);
  await operator.admin.withdrawInvitation({ account_id: account.accountId, email: person.email }, CALL);
  // A new invitation of the address is another one: whoever accepts it did not do this.
  await operator.admin.inviteAdmin({ account_id: account.accountId, email: person.email }, CALL);
  await web.signIn({ ...person, id: 'other-guest' });
  expect((await actorsOf(account.accountId, 'key.create')).join()).toContain(`${web.provider.issuer}, guest)`);
  await importAndWait(account, [R(0, { email: person.email, role: 'Admin' }), ...records(1, 3)]);
  const { rows } = await db.query<{ id: string }>("select id from imports.employee where account_id = $1 and import_id = 'E0'", [
    account.accountId,
  ]);
  const employee = { employee_id: Number(rows[0]?.id), import_id: null, email: null };
  await operator.admin.eraseEmployee({ account_id: account.accountId, employee, dry_run: false, may_return: false }, CALL);
  await expect.poll(async () => (await actorsOf(account.accountId, 'key.create')).join()).not.toContain('guest');
  expect((await actorsOf(account.accountId, 'key.create')).join()).toMatch(/^\(invitation \d+: http:\S+, [0-9a-f]{64}\)$/);
});

it('lets no operator become an admin by an issuer of their own, in any spelling of it', async () => {
  const account = await operator.createAccount();
  for (const issuer of [OPERATORS, `${OPERATORS}/`, 'https://STAFF.example:443/realms/ops'])
    await expect(operator.admin.setIssuers({ account_id: account.accountId, issuers: [issuer] }, CALL)).rejects.toThrow(
      'cannot be admins',
    );
  // Bound before the issuer was known to be one of operators.
  await db.query('insert into admin.account_issuer (account_id, issuer) values ($1, $2)', [account.accountId, OPERATORS]);
  await operator.admin.inviteAdmin({ account_id: account.accountId, email: 'op@staff.example' }, CALL);
  const found = await operator.admin.findAdminAccounts(
    { issuer: OPERATORS, subject: 's', verified_email: 'op@staff.example' },
    CALL,
  );
  expect(found.accounts).toEqual([]);
});
