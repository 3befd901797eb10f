import { outcomeSchema } from '@survey/import-reconciler/mail/outcome.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

// What the mail server receives about imports (docs/rules/import-lifecycle.md).
const CONSOLE = 'https://console.example.com';
const smtp = await startSmtpServer(0, () => 'none');
const { stack, operator, importAndWait, db } = await startFileStack({
  'import-reconciler': {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    CONSOLE_URL: CONSOLE,
    MAIL_RETRY_INITIAL_SECONDS: '0.1',
  },
});
const surveyctl = surveyctlAt(stack);

const admin = (account: Account, language = 'en') => ({
  ...R(1),
  email: `admin-${account.accountId}@example.com`,
  role: 'Admin',
  language,
});
const settings = (account: Account, ...args: string[]) =>
  surveyctl(['settings', 'set', '--account', String(account.accountId), ...args, '--json']);

/** Mails to the account's admin, decoded, in order of arrival. */
const mailsTo = ({ accountId }: Account) => mailsToAddress(`admin-${accountId}@example.com`);

function mailsToAddress(email: string) {
  return smtp.taken
    .filter(({ recipients }) => recipients.includes(email))
    .map(({ text }) => {
      const parts = text.split(/^--.*$/m).map(decoded);
      const json = parts
        .find((part) => /^content-type: application\/json/im.test(part))
        ?.split('\n\n')
        .slice(1)
        .join('\n\n');
      return {
        subject: /^subject: (.*)$/im.exec(text)?.[1],
        text: parts.find((part) => /^content-type: text\/plain/im.test(part)) ?? decoded(text),
        outcome: json === undefined ? undefined : outcomeSchema.parse(JSON.parse(json)),
      };
    });
}

function decoded(part: string): string {
  const [head = '', ...rest] = part.trimStart().split('\n\n');
  const body = rest.join('\n\n');
  if (/transfer-encoding: base64/i.test(head)) return `${head}\n\n${Buffer.from(body, 'base64').toString()}`;
  if (!/transfer-encoding: quoted-printable/i.test(head)) return part.trimStart();
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `${head}\n\n${Buffer.from(bytes, 'latin1').toString()}`;
}

async function mailed(account: Account, count: number) {
  await expect.poll(() => mailsTo(account).length).toBe(count);
  return mailsTo(account);
}

/** Lets the account's last snapshots look as if they had come some hours earlier. */
async function age({ accountId }: Account, hours: number): Promise<void> {
  await db.query(
    `update imports.import set accepted_at = (accepted_at at time zone 'UTC' - $2::integer * interval '1 hour') at time zone 'UTC', finished_at = (finished_at at time zone 'UTC' - $2::integer * interval '1 hour') at time zone 'UTC'
     where account_id = $1`,
    [accountId, hours],
  );
  await db.query("update admin.integration set connected_at = now() - interval '60 days' where account_id = $1", [accountId]);
}

const look = ({ accountId }: Account) =>
  db.query("insert into imports.due (account_id, kind) values ($1, 'schedule-mail') on conflict do nothing", [accountId]);

describe('a cancelled import', () => {
  it('sends one mail with the cause, a link and outcome.json [IMPORT-LIFECYCLE-MAIL-3, IMPORT-LIFECYCLE-MAIL-5]', async () => {
    const account = await operator.createAccount({ threshold: '33.3333' });
    await importAndWait(account, [admin(account), ...records(2, 3)]);
    const { importUuid } = await importAndWait(account, [admin(account), R(2)]);
    const [mail] = await mailed(account, 1);
    expect(mail?.subject).toBe('Employee import cancelled: nothing was changed');
    expect(mail?.text).toContain('Offboarding 1 of 3 managed employees is 33.33333%, above the threshold of 33.3333%');
    expect(mail?.text).toContain(`${CONSOLE}/a/${account.accountId}/imports/${importUuid}`);
    expect(mail?.outcome).toMatchObject({
      state: 'cancelled',
      import_uuid: importUuid,
      records: 2,
      counts: { offboarded: 0 },
      reasons: [{ code: 'deletion_threshold', count: 1, managed: 3, threshold: '33.3333' }],
      import_ids: [],
    });
  });

  it('is told in German to an admin whose language is German [IMPORT-LIFECYCLE-CANCEL-4]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [admin(account, 'de')]);
    await importAndWait(account, [{ ...admin(account, 'de'), import_id: '' }]);
    const [mail] = await mailed(account, 1);
    expect(mail?.text).toContain('Der Import vom ');
    expect(mail?.text).toContain('Datensätze mit leerer import_id: 1 (/employees/0)');
  });

  it('sends none where the account has switched that off, while skipped records still send one [IMPORT-LIFECYCLE-MAIL-3]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [admin(account)]);
    await settings(account, '--notices-off', 'cancelled,identity,late');
    expect(await importAndWait(account, [R(2)])).toMatchObject({ state: 'cancelled' });
    await importAndWait(account, [admin(account), R(3, { role: 'Boss' })]);
    const [mail] = await mailed(account, 1);
    expect(mail?.outcome).toMatchObject({
      state: 'applied',
      counts: { skipped: 1 },
      skipped: { role_unknown: 1 },
      import_ids: [{ import_id: 'E3', codes: ['role_unknown'] }],
    });
  });
});

it('an applied import with warnings about identities sends one mail, without names, addresses and values [IMPORT-LIFECYCLE-MAIL-3, IMPORT-LIFECYCLE-MAIL-5]', async () => {
  const account = await operator.createAccount({ threshold: '100' });
  const secret = { lastname: 'Unmentioned', attributes: [{ name: 'Secret', value: { name: 'Hidden' } }] };
  await importAndWait(account, [admin(account), R(2, secret)]);
  await importAndWait(account, [admin(account), R(2, { ...secret, import_id: 'N2' })]);
  const [mail] = await mailed(account, 1);
  expect(mail?.outcome).toMatchObject({
    state: 'applied',
    counts: { created: 1, offboarded: 1 },
    warnings: { email_known_under_other_import_id: 1 },
    import_ids: [{ import_id: 'N2', codes: ['email_known_under_other_import_id'] }],
  });
  expect(JSON.stringify(mail)).not.toMatch(/Unmentioned|Secret|Hidden|e2@x\.io/);
});

it('what stands out in the snapshot is in the mail and in outcome.json, also of a cancelled import [IMPORT-LIFECYCLE-MAIL-3, IMPORT-LIFECYCLE-MAIL-5]', async () => {
  const account = await operator.createAccount({ threshold: '100' });
  const people = Array.from({ length: 20 }, (_, at) => R(at + 2, { import_id: `00${String(at + 1_001)}` }));
  await importAndWait(account, [admin(account), ...people]);
  const without = people.map((each, at) => ({ ...each, import_id: String(at + 1_001), email: `new${at}@x.io` }));
  await importAndWait(account, [admin(account), ...without]);
  const [mail] = await mailed(account, 1);
  expect(mail?.subject).toBe('Employee import: please check the snapshot');
  expect(mail?.text).toContain('- New ids that look like known ids without leading zeros: 20');
  expect(mail?.outcome?.snapshot_warnings).toContainEqual({ code: 'leading_zeros_lost', count: 20, records: [] });
});

it('the last admin who is lost is told to the further addresses', async () => {
  const account = await operator.createAccount({ threshold: '100' });
  await importAndWait(account, [admin(account), R(2)]);
  const email = `hr-it-${account.accountId}@example.com`;
  await confirm(await request(account, email));
  await importAndWait(account, [R(2)]);
  await expect.poll(() => mailsToAddress(email).length, { timeout: 10_000 }).toBe(2);
  expect(mailsToAddress(email)[1]?.text).toContain('- The account has no employee with the role Admin any more');
});

describe('further addresses', () => {
  it('get no mail about imports until their owner has confirmed, then each one, until they end it [IMPORT-LIFECYCLE-MAIL-6]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [admin(account), R(2)]);
    const email = `hr-it-${account.accountId}@example.com`;
    const link = await request(account, email);
    await importAndWait(account, [admin(account), R(2), R(3, { role: 'Boss' })]);
    await mailed(account, 1);
    expect(mailsToAddress(email)).toHaveLength(1);
    await expect(confirm({ ...link, token: `${link.token.slice(0, -1)}-` })).rejects.toThrow(/no longer valid/);
    await confirm(link);
    await confirm(link);
    await importAndWait(account, [admin(account), R(2), R(4, { role: 'Boss' })]);
    await expect.poll(() => mailsToAddress(email).length, { timeout: 10_000 }).toBe(2);
    const { text, outcome } = mailsToAddress(email)[1] ?? {};
    expect(outcome).toMatchObject({ state: 'applied', skipped: { role_unknown: 1 } });
    const [, stop] = new RegExp(`${CONSOLE}/mail/${account.accountId}/${link.address_id}/stop/(\\w+)`).exec(text ?? '') ?? [];
    await operator.admin.endNotices({ ...link, token: stop ?? '' }, ANONYMOUS);
    await importAndWait(account, [admin(account), R(2), R(5, { role: 'Boss' })]);
    await mailed(account, 3);
    expect(mailsToAddress(email)).toHaveLength(2);
    await expect(confirm(link)).rejects.toThrow(/no longer valid/);
    expect(await audited(account)).toEqual(['notice.add', 'notice.confirm', 'notice.stop']);
  });

  it('are asked at most three times a day, in all accounts together, and once by two clicks, and a removed one gets nothing [IMPORT-LIFECYCLE-MAIL-6]', async () => {
    const [one, other, third] = [await operator.createAccount(), await operator.createAccount(), await operator.createAccount()];
    const email = `Often-${one.accountId}@example.com`;
    const link = await request(one, email);
    await json(one, 'notice', 'remove', String(link.address_id));
    await json(one, 'notice', 'add', email.toUpperCase());
    const clicks = await Promise.all([1, 2].map(() => json(other, 'notice', 'add', email)));
    expect(clicks[0]).toEqual(clicks[1]);
    const rejected = await surveyctl(['notice', 'add', email, '--account', String(third.accountId)]);
    expect(rejected).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('got 3 requests to confirm within a day') });
    await expect(confirm(link)).rejects.toThrow(/no longer valid/);
  });

  it('are at most ten, each a mailbox, and the link ends after two days [IMPORT-LIFECYCLE-MAIL-6]', async () => {
    const account = await operator.createAccount();
    for (let at = 0; at < 10; at++)
      await json(account, 'notice', 'add', `a${at}-${account.accountId}@example.com`, '--language', 'de');
    const add = (email: string) => surveyctl(['notice', 'add', email, '--account', String(account.accountId)]);
    expect((await add('eleventh@example.com')).stderr).toContain('can have 10 further addresses');
    expect((await add('boss@red.example, attacker@evil.example')).stderr).toContain('must be an e-mail address');
    const email = `a3-${account.accountId}@example.com`;
    const link = await linkOf(account, email);
    expect(mailsToAddress(email)[0]?.text).toContain('Möchten Sie diese E-Mails');
    await db.query(
      "update admin.notice_address set asked_at = (asked_at at time zone 'UTC' - interval '49 hours') at time zone 'UTC' where account_id = $1",
      [account.accountId],
    );
    await expect(confirm(link)).rejects.toThrow(/no longer valid/);
    const { addresses } = await json(account, 'notice', 'show');
    expect(addresses).toHaveLength(10);
    expect(addresses[0]).toMatchObject({ email: `a0-${account.accountId}@example.com`, state: 'expired', language: 'de' });
  });
});

describe('snapshots that do not come', () => {
  it('send one mail when they are late and one when they come again, never two [IMPORT-LIFECYCLE-MAIL-4]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [admin(account)]);
    await settings(account, '--import-schedule', 'daily');
    await age(account, 35);
    await look(account);
    await expect.poll(() => pendingLooks(account)).toBe(0);
    expect(mailsTo(account)).toHaveLength(0);
    await age(account, 2);
    await look(account);
    const [late] = await mailed(account, 1);
    expect(late).toMatchObject({
      subject: 'Employee import: no snapshot came',
      outcome: { state: 'late', expected_by: expect.any(String) },
    });
    await look(account);
    await expect.poll(() => pendingLooks(account)).toBe(0);
    await importAndWait(account, [admin(account)]);
    const [, resumed] = await mailed(account, 2);
    expect(resumed).toMatchObject({
      subject: 'Employee import: snapshots come again',
      outcome: { version: 1, state: 'resumed' },
    });
  });

  it('are late after the hour that is set, once a day or a week has passed [IMPORT-LIFECYCLE-MAIL-4]', async () => {
    const due = async (schedule: string, hour: string, newest: string): Promise<string> => {
      const account = await operator.createAccount();
      await importAndWait(account, [admin(account)]);
      await settings(account, '--import-schedule', schedule, '--import-schedule-hour', hour);
      await db.query('update imports.import set accepted_at = $2 where account_id = $1', [account.accountId, newest]);
      await db.query("update admin.integration set connected_at = '2026-01-01' where account_id = $1", [account.accountId]);
      return (await json(account, 'notice', 'show')).snapshot_due;
    };
    expect(await due('daily', '6', '2026-11-02T02:03:00Z')).toBe('2026-11-03T06:00:00.000000Z');
    expect(await due('daily', '2', '2026-11-02T02:03:00Z')).toBe('2026-11-04T02:00:00.000000Z');
    expect(await due('daily', '6', '2026-11-02T06:00:00Z')).toBe('2026-11-03T06:00:00.000000Z');
    expect(await due('weekly', '0', '2026-11-02T23:30:00Z')).toBe('2026-11-10T00:00:00.000000Z');
  });

  it('are late by the schedule of their last two weeks [IMPORT-LIFECYCLE-MAIL-4]', async () => {
    const overdue = async (days: readonly number[], now: number): Promise<boolean> => {
      const account = await operator.createAccount();
      await age(account, 0);
      for (const day of days)
        await db.query(
          `insert into imports.import (account_id, import_uuid, state, accepted_at, finished_at, plan_version, content_encoding, employees_total)
           values ($1, gen_random_uuid(), 'applied', date_trunc('day', now(), 'UTC') + ($2::integer - $3::integer) * interval '1 day' + interval '2 hours', now(), 1, 'gzip', 1)`,
          [account.accountId, day, now],
        );
      const { rows } = await db.query('select imports.overdue_since($1) is not null as is_overdue', [account.accountId]);
      return rows[0]?.is_overdue === true;
    };
    const workdays = [0, 1, 2, 3, 4, 7, 8, 9, 10, 11];
    // The day after next at the latest: a day is over 36 hours after it has begun.
    expect(await overdue(workdays, 13)).toBe(false);
    expect(await overdue(workdays, 16)).toBe(true);
    expect(await overdue([0, 7], 13)).toBe(false);
    expect(await overdue([0, 7], 16)).toBe(true);
    // Nothing is learned from a single week, or long after the last snapshot.
    expect(await overdue([0, 1, 2], 9)).toBe(false);
    expect(await overdue(workdays, 40)).toBe(false);
  });
});

interface Link {
  account_id: number;
  address_id: number;
  token: string;
}

const json = async ({ accountId }: Account, ...args: string[]) => {
  const { exitCode, stdout, stderr } = await surveyctl([...args, '--account', String(accountId), '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
};

/** Adds an address and returns the link that it got. */
async function request(account: Account, email: string): Promise<Link> {
  await json(account, 'notice', 'add', email);
  return linkOf(account, email);
}

async function linkOf({ accountId }: Account, email: string): Promise<Link> {
  await expect.poll(() => mailsToAddress(email).length, { timeout: 10_000 }).toBe(1);
  const found = new RegExp(`${CONSOLE}/mail/${accountId}/(\\d+)/confirm/([\\w-]{43})`).exec(mailsToAddress(email)[0]?.text ?? '');
  return { account_id: accountId, address_id: Number(found?.[1]), token: found?.[2] ?? '' };
}

// Whoever opens a link is not signed in.
const ANONYMOUS = { caller: { requestId: 'test' }, deadlineMs: 5_000 };
const confirm = (link: Link) => operator.admin.confirmNoticeAddress(link, ANONYMOUS);

async function audited({ accountId }: Account): Promise<string[]> {
  const { rows } = await db.query("select action from admin.audit where account_id = $1 and action like 'notice.%' order by id", [
    accountId,
  ]);
  return rows.map(({ action }) => action);
}

async function pendingLooks({ accountId }: Account): Promise<number> {
  const { rowCount } = await db.query("select from imports.due where account_id = $1 and kind = 'schedule-mail'", [accountId]);
  return rowCount ?? 0;
}
