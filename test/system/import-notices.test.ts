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
function mailsTo({ accountId }: Account) {
  return smtp.taken
    .filter(({ recipients }) => recipients.includes(`admin-${accountId}@example.com`))
    .map(({ text }) => {
      const parts = text.split(/^--.*$/m).map(decoded);
      const json = parts
        .find((part) => /^content-type: application\/json/im.test(part))
        ?.split('\n\n')
        .slice(1)
        .join('\n\n');
      return {
        subject: /^subject: (.*)$/im.exec(text)?.[1],
        text: parts.find((part) => /^content-type: text\/plain/im.test(part)) ?? '',
        outcome: outcomeSchema.parse(JSON.parse(json ?? '{}')),
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
  await expect.poll(() => mailsTo(account).length, { timeout: 10_000 }).toBe(count);
  return mailsTo(account);
}

/** Lets the account's last snapshots look as if they had come some hours earlier. */
async function age({ accountId }: Account, hours: number): Promise<void> {
  await db.query(
    `update imports.import set accepted_at = accepted_at - $2::integer * interval '1 hour', finished_at = finished_at - $2::integer * interval '1 hour'
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

describe('snapshots that do not come', () => {
  it('send one mail when they are late and one when they come again, never two [IMPORT-LIFECYCLE-MAIL-4]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [admin(account)]);
    await settings(account, '--import-schedule', 'daily');
    await age(account, 35);
    await look(account);
    await expect.poll(() => pendingLooks(account), { timeout: 15_000 }).toBe(0);
    expect(mailsTo(account)).toHaveLength(0);
    await age(account, 2);
    await look(account);
    const [late] = await mailed(account, 1);
    expect(late).toMatchObject({
      subject: 'Employee import: no snapshot came',
      outcome: { state: 'late', expected_by: expect.any(String) },
    });
    await look(account);
    await expect.poll(() => pendingLooks(account), { timeout: 15_000 }).toBe(0);
    await importAndWait(account, [admin(account)]);
    const [, resumed] = await mailed(account, 2);
    expect(resumed).toMatchObject({
      subject: 'Employee import: snapshots come again',
      outcome: { version: 1, state: 'resumed' },
    });
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

async function pendingLooks({ accountId }: Account): Promise<number> {
  const { rowCount } = await db.query("select from imports.due where account_id = $1 and kind = 'schedule-mail'", [accountId]);
  return rowCount ?? 0;
}
