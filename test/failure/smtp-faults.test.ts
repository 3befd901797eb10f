import { inspect } from 'node:util';
import { createMailer } from '@survey/import-reconciler/mail/mailer.ts';
import { expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { seededRandom } from '../support/random.ts';
import { R } from '../support/records.ts';
import { startSmtpServer, type SmtpFault } from '../support/smtp-server.ts';

// The mail server is stopped, rejects with 4xx, disconnects after DATA, or responds slowly.
// SMTP_SEED repeats a run.
const SEED = Number(process.env['SMTP_SEED'] ?? Date.now() % 1_000_000);
// The full size is SMTP_FAULTS=500.
const FAULTY_CONNECTIONS = Number(process.env['SMTP_FAULTS'] ?? 40);
// Enough imports to meet a faulty server until the end: 8 of 9 connections are faulty, and each
// import sends two mails.
const IMPORTS = Math.ceil(0.15 * FAULTY_CONNECTIONS);
const ALL_SENT_MS = 90_000 + 500 * FAULTY_CONNECTIONS;
const FAULTS: readonly SmtpFault[] = [
  'none',
  'greeting',
  'mail',
  'recipient',
  'data',
  'tarpit',
  'cut in data',
  'cut before 250',
  'cut after 250',
];

// Listens briefly to find an unused port.
const port = await startSmtpServer(0, () => 'none').then(async (server) => {
  await server[Symbol.asyncDispose]();
  return server.port;
});
const { operator, importAndWait, db } = await startFileStack({
  'import-reconciler': {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_TIMEOUT_SECONDS: '1',
    MAIL_RETRY_INITIAL_SECONDS: '0.05',
    MAIL_RETRY_MAX_SECONDS: '0.4',
  },
});

it(
  `delivers every summary despite faults, and twice only when the acceptance was not confirmed (seed ${SEED}) [IMPORT-LIFECYCLE-MAIL-1]`,
  async () => {
    const accounts = await Promise.all(Array.from({ length: IMPORTS }, () => operator.createAccount()));
    // Without a mail server, imports end as usual.
    const imports = await Promise.all(accounts.map(importSkipping));
    expect(await unsent()).toBe(IMPORTS);

    const random = seededRandom(SEED);
    let connections = 0;
    const nextFault = (): SmtpFault => {
      connections += 1;
      const at = Math.floor(random() * FAULTS.length);
      return connections > FAULTY_CONNECTIONS ? 'none' : (FAULTS[at] ?? 'none');
    };
    await using server = await startSmtpServer(port, nextFault);
    // Faults of the mail server do not affect an import.
    const late = await operator.createAccount();
    imports.push(await importSkipping(late));
    await expect.poll(unsent, { timeout: ALL_SENT_MS, interval: 100 }).toBe(0);

    const expected = imports.map((importUuid) => {
      const all = server.taken.filter(({ messageId }) => messageId.startsWith(`<import-${importUuid}-`));
      const confirmed = all.filter(({ isUnconfirmed }) => !isUnconfirmed);
      expect(all.every(({ recipients }) => recipients.length === 1)).toBe(true);
      expect(new Set(all.map((mail) => mail.messageId + mail.recipients.join())).size).toBe(2);
      return confirmed.flatMap(({ recipients }) => recipients).toSorted();
    });
    expect(expected).toEqual(imports.map(() => ['e1@x.io', 'e2@x.io']));
    expect(server.taken).toHaveLength(2 * imports.length + (server.met.get('cut after 250') ?? 0));
    expect([...server.met.keys()].length).toBeGreaterThan(4);
  },
  2 * ALL_SENT_MS,
);

it('logs no address when a mail is rejected [DATA-LOGS-1]', async () => {
  await using server = await startSmtpServer(0, () => 'recipient');
  const SMTP_URL = `smtp://127.0.0.1:${server.port}`;
  const mailer = createMailer({ SMTP_URL, MAIL_FROM: 'survey@survey.invalid', MAIL_TIMEOUT_SECONDS: 5 });
  const mail = { to: 'secret@x.io', messageId: '<one@survey.invalid>', subject: 'One', text: 'One' };
  const error = await mailer?.(mail).catch((fault: unknown) => fault);
  expect(error).toMatchObject({ message: 'the mail server did not take it: EENVELOPE, 450 to RCPT TO' });
  expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/secret/);
});

async function importSkipping(account: Account): Promise<string> {
  const admin = { role: 'Admin' };
  const { importUuid, state, counts } = await importAndWait(account, [R(1, admin), R(2, admin), R(3, { role: 'Boss' })]);
  expect({ state, skipped: counts.skipped }).toEqual({ state: 'applied', skipped: 1 });
  return importUuid;
}

async function unsent(): Promise<number> {
  const { rows } = await db.query<{ n: number }>('select count(*)::int as n from imports.mail where sent_at is null');
  return rows[0]?.n ?? 0;
}

it('does not resend a summary to one admin when the server rejects another [IMPORT-LIFECYCLE-MAIL-2]', async () => {
  const account = await operator.createAccount();
  const rejected = 'rejected@x.io';
  await using server = await startSmtpServer(port, () => 'none', rejected);
  const admins = [R(1, { role: 'Admin', email: rejected }), R(2, { role: 'Admin' })];
  const { importUuid } = await importAndWait(account, [...admins, R(3, { role: 'Boss' })]);
  const attempts = 'select attempts, sent_at is null as waits from imports.mail where import_uuid = $1 and attempts > 2';
  await expect.poll(async () => (await db.query(attempts, [importUuid])).rows).toMatchObject([{ waits: true }]);
  expect(server.taken.map(({ recipients }) => recipients)).toEqual([['e2@x.io']]);
});

it('mails each change of the disclosure guard, and no other one, to every admin once [GUARD-SETTING-1]', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, [R(1, { role: 'Admin', language: 'en' }), R(2, { role: 'Admin', language: 'en' })]);
  await using server = await startSmtpServer(port, () => 'none');
  const change = (settings: object) =>
    operator.admin.setSettings(
      { account_id: account.accountId, masking_categories: null, ...settings },
      { caller: { requestId: 'test' }, deadlineMs: 10_000 },
    );
  await change({ disclosure_guard: 'strict' });
  await change({ categorisation: true });
  await change({ guard_settling_hours: 48 });
  const ended = 'select sent_to from imports.mail where account_id = $1 and settings_version is not null and sent_at is not null';
  const mails = (hours: number) =>
    server.taken.filter(({ messageId, text }) => messageId.startsWith('<guard-') && text.includes(`${hours} hours`));
  await expect.poll(() => db.query(ended, [account.accountId])).toMatchObject({ rowCount: 2 });
  expect((await db.query(ended, [account.accountId])).rows).toEqual([{ sent_to: [] }, { sent_to: [] }]);
  for (const hours of [24, 48])
    expect(
      mails(hours)
        .flatMap(({ recipients }) => recipients)
        .toSorted(),
    ).toEqual(['e1@x.io', 'e2@x.io']);
});
