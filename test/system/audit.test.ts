import { readdir, readFile } from 'node:fs/promises';
import { AUDIT_ACTIONS } from '@survey/account-admin/audit/write-audit.ts';
import { LANGUAGES } from '@survey/console/texts/languages.ts';
import { MIGRATIONS_FOLDER } from '@survey/postgres/migrations.ts';
import { afterAll, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { textOperatorAt } from '../support/topics.ts';

const { stack, operator, importAndWait } = await startFileStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

it.each(Object.entries(LANGUAGES))('the console has words in %s for every action of the audit', (_, { audit }) => {
  expect(Object.keys(audit.actions).toSorted()).toEqual(AUDIT_ACTIONS.toSorted());
});

it('the database records no other action', async () => {
  const files = await readdir(MIGRATIONS_FOLDER);
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, `file://${MIGRATIONS_FOLDER}/`), 'utf8')));
  const recorded = [...texts.join('\n').matchAll(/'service', '([a-z.-]+)'/g)].map(([, action]) => action);
  expect(recorded.length).toBeGreaterThan(1);
  expect(AUDIT_ACTIONS).toEqual(expect.arrayContaining(recorded));
});

it('records a change of topics once, with its outcome, and the console says it in words', async () => {
  const account = await operator.createAccount();
  const { accountId: account_id } = account;
  const topics = textOperatorAt(stack)(account_id);
  for (const name of ['Pay', 'Canteen']) await topics.createTopic({ name, keywords: {} });
  await expect(topics.renameTopic({ topic: 'Pay', name: 'Canteen' })).rejects.toThrow(/./);
  await topics.renameTopic({ topic: 'Pay', name: 'Salary' });
  const { entries } = await operator.admin.listAudit({ account_id, action: 'topic.rename' }, CALL);
  expect(entries.map(({ outcome, rejection }) => [outcome, rejection])).toEqual([
    ['done', null],
    ['rejected', expect.stringMatching(/./)],
  ]);
  await web.bind(account_id);
  await importAndWait(account, [R(0, { email: 'auditor@x.io', role: 'Admin' }), ...records(1, 3)]);
  const client = await web.signIn({ id: 'auditor', name: 'A', email: 'auditor@x.io' });
  const { text } = await client.get(`/a/${account_id}/audit`);
  expect(text).toMatch(/Topic renamed <b>\(rejected\)<\/b>/);
  expect(text).not.toContain('topic.rename');
});
