import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

const { stack, operator, importAndWait, db } = await startFileStack();

async function mailsAbout(importUuid: string): Promise<string[]> {
  const files = (await readdir(stack.mailDir)).filter((name) => name.includes(importUuid) && name.endsWith('.eml'));
  return Promise.all(files.map((name) => readFile(join(stack.mailDir, name), 'utf8')));
}

async function settled(importUuid: string): Promise<void> {
  const due = 'select from imports.mail where import_uuid = $1 and sent_at is null';
  for (let tries = 0; tries < 100 && (await db.query(due, [importUuid])).rowCount !== 0; tries++) await sleep(100);
}

const admin = { ...R(1), email: 'admin@example.com', role: 'Admin', language: 'en' };

it('an applied import that skipped employees sends the admins one summary, without names or attributes [IMPORT-LIFECYCLE-MAIL-1]', async () => {
  const account = await operator.createAccount();
  const skipped = { ...R(2), lastname: 'Unmentioned', role: 'Boss', attributes: [{ name: 'Secret', value: { name: 'Hidden' } }] };
  const { importUuid, state } = await importAndWait(account, [admin, skipped]);
  expect(state).toBe('applied');
  await settled(importUuid);
  const mails = await mailsAbout(importUuid);
  expect(mails).toHaveLength(1);
  const [mail = ''] = mails;
  expect(mail).toContain('To: admin@example.com');
  expect(mail).toMatch(new RegExp(`^Message-ID:\\s+<import-${importUuid}-`, 'm'));
  expect(mail).toMatch(/- E2: The role must be/);
  expect(mail).not.toMatch(/Unmentioned|Secret|Hidden|e2@x\.io/);
});

it('a mail that cannot be composed delays no other one [IMPORT-LIFECYCLE-MAIL-1]', async () => {
  const account = await operator.createAccount();
  await db.query(
    `insert into imports.mail (account_id, settings_version, next_attempt_at) values ($1, 999, now() - interval '1 hour')`,
    [account.accountId],
  );
  const { importUuid } = await importAndWait(account, [admin, { ...R(2), role: 'Boss' }]);
  await settled(importUuid);
  expect(await mailsAbout(importUuid)).toHaveLength(1);
  const deferred =
    'select from imports.mail where account_id = $1 and settings_version = 999 and attempts > 0 and sent_at is null';
  expect((await db.query(deferred, [account.accountId])).rowCount).toBe(1);
});

it('an import that only changes employees sends no mail [IMPORT-LIFECYCLE-MAIL-1]', async () => {
  const account = await operator.createAccount();
  const applied = await importAndWait(account, [admin, R(2)]);
  expect(applied.state).toBe('applied');
  const { rowCount } = await db.query('select from imports.mail where account_id = $1', [account.accountId]);
  expect(rowCount).toBe(0);
});

it('sends each admin a mail of their own, and none to what is not a single mailbox [IMPORT-LIFECYCLE-MAIL-2]', async () => {
  const account = await operator.createAccount();
  const emails = [
    'ann@example.com',
    'boss@red.example, attacker@evil.example',
    'group:;\r\n x@y.example',
    'no-mailbox',
    'zoë@bücher.example',
  ];
  const admins = emails.map((email, at) => ({ ...R(at + 1), email, role: 'Admin' }));
  const { importUuid, counts } = await importAndWait(account, [...admins, { ...R(9), role: 'Boss' }]);
  expect(counts).toMatchObject({ created: emails.length, skipped: 1 });
  await settled(importUuid);
  const recipients = (await mailsAbout(importUuid)).map((mail) => /^To: (.*)$/m.exec(mail)?.[1]);
  expect(new Set(recipients)).toEqual(new Set(['ann@example.com', 'zoë@bücher.example']));
});
