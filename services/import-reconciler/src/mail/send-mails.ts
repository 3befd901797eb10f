import type { AccountWork } from '@survey/bus/account-work.ts';
import { isMailbox } from '@survey/formats/email-key.ts';
import { reasonLanguage } from '@survey/formats/import-reasons.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { initializeToZero, counter } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { composeMail } from './compose-mail.ts';
import { MailNotTaken, type Mailer } from './mailer.ts';
import {
  claimMail,
  dueMails,
  markMailFailed,
  markMailSent,
  recordRecipient,
  scheduleGuardMails,
  scheduleLateMail,
  type DueMail,
  type MailKey,
} from './mails.ts';

const POLL_MS = 2_000;

interface MailSending {
  // Undefined: mails stay pending and are given up after a day.
  mailer: Mailer | undefined;
  // Base of links; undefined: mails have none.
  consoleUrl: string | undefined;
  firstRetryMs: number;
  longestRetryMs: number;
}

/** Creates the account work that mails each change of the disclosure guard (GUARD-SETTING-1). */
export function guardMailWork(pool: Pool): AccountWork {
  return {
    kind: 'guard-mail',
    wokenBy: 'events.settings.changed',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from imports.accounts_with_guard_change() as id');
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      await inAccount(pool, accountId, (tx) => scheduleGuardMails(tx, accountId));
      return undefined;
    },
  };
}

/**
 * Creates the account work that mails when snapshots do not come, or come again (rule
 * IMPORT-LIFECYCLE-MAIL-4).
 */
export function scheduleMailWork(pool: Pool): AccountWork {
  return {
    kind: 'schedule-mail',
    wokenBy: 'events.import.applied',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from imports.accounts_off_schedule() as id');
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      await inAccount(pool, accountId, (tx) => scheduleLateMail(tx, accountId));
      return undefined;
    },
  };
}

/**
 * Sends due mails to each admin in a separate mail and retries for up to a day. Each mail is
 * recorded in the transaction that locks the mail's row, so two senders never send it at once.
 * Only a server that accepted a mail without confirming it receives it again, with the same
 * Message-ID.
 */
export function startMailSender(pool: Pool, sending: MailSending, { log, metrics, resources }: ServiceContext): void {
  const mails = counter(metrics, {
    name: 'import_mails_total',
    help: 'Attempted mails to account admins, by outcome.',
    labelNames: ['outcome'],
  });
  initializeToZero(mails, [{ outcome: 'sent' }, { outcome: 'no_recipients' }, { outcome: 'failed' }, { outcome: 'given_up' }]);
  const send = async (key: MailKey): Promise<void> => {
    const outcome = await sendToAll(pool, key, sending);
    if (outcome === undefined) return;
    mails.inc({ outcome: outcome.kind });
    const ids = { account_id: key.accountId, mail: key.id };
    if (outcome.unusable.length > 0)
      log.warn({ ...ids, employees: outcome.unusable }, 'admins with unusable e-mail addresses skipped');
    if (outcome.kind === 'sent' && outcome.errors.size > 0)
      log.warn({ ...ids, employees: [...outcome.errors.keys()] }, 'mail rejected for some admins');
    const [err] = outcome.errors.values();
    if (outcome.kind === 'given_up') log.error({ ...ids, err }, 'mail given up');
    if (outcome.kind === 'failed') log.warn({ ...ids, err }, 'mail deferred');
  };
  const sendDue = async (): Promise<void> => {
    for (const key of await dueMails(pool)) await send(key);
  };
  const everyMs = Math.min(POLL_MS, sending.firstRetryMs);
  resources.use(repeat(everyMs, sendDue, (error) => log.warn({ err: error }, 'mail sending failed')));
}

interface MailOutcome {
  kind: 'sent' | 'no_recipients' | 'failed' | 'given_up';
  // Errors by the admin's id.
  errors: ReadonlyMap<number, unknown>;
  // Ids of admins without a usable address; empty until the mail has ended.
  unusable: readonly number[];
}

/**
 * Sends to each admin in a separate transaction. Returns undefined when another sender holds the
 * mail.
 */
async function sendToAll(pool: Pool, key: MailKey, sending: MailSending): Promise<MailOutcome | undefined> {
  const errors = new Map<number, unknown>();
  for (;;) {
    const sent = await inAccount(pool, key.accountId, (tx) => sendNext(tx, key, sending, errors));
    if (sent !== 'more') return sent;
  }
}

async function sendNext(
  tx: Client,
  key: MailKey,
  { mailer, consoleUrl, firstRetryMs, longestRetryMs }: MailSending,
  errors: Map<number, unknown>,
): Promise<MailOutcome | 'more' | undefined> {
  const mail = await claimMail(tx, key);
  if (mail === undefined) return undefined;
  const usable = mail.recipients.filter(({ email }) => isMailbox(email));
  const unusable = mail.recipients.filter(({ email }) => !isMailbox(email)).map(({ employeeId }) => employeeId);
  const next = usable.find(({ employeeId }) => !errors.has(employeeId));
  if (next !== undefined && [...errors.values()].every(isRecipientRejected)) {
    const error = await sendOne(tx, mail, next, { mailer, consoleUrl });
    if (error === undefined) await recordRecipient(tx, key, next.employeeId);
    else errors.set(next.employeeId, error);
    return 'more';
  }
  if (errors.size === 0) {
    const sent = await markMailSent(tx, key);
    await failpoint('mail.marked');
    return { kind: sent === 0 ? 'no_recipients' : 'sent', errors, unusable };
  }
  const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** mail.attempts);
  const kind = await markMailFailed(tx, key, delayMs);
  return { kind, errors, unusable: kind === 'failed' ? [] : unusable };
}

const isRecipientRejected = (error: unknown): boolean => error instanceof MailNotTaken && error.isRecipientRejected;

// Returns the error when the mail was not sent.
async function sendOne(
  tx: Client,
  mail: DueMail,
  { employeeId, email, language }: DueMail['recipients'][number],
  { mailer, consoleUrl }: Pick<MailSending, 'mailer' | 'consoleUrl'>,
): Promise<unknown> {
  // A mail server may be slow, and the row stays locked meanwhile.
  await tx.query(
    `select set_config(name, (2 * setting::int)::text, true) from pg_settings where name = 'idle_in_transaction_session_timeout'`,
  );
  await failpoint('mail.claimed');
  if (mailer === undefined) return new Error('neither SMTP_URL nor MAIL_DIR is set');
  const kind = 'guard' in mail.about ? 'guard' : 'import';
  const messageId = `<${kind}-${mail.id}-${employeeId}@survey.invalid>`;
  try {
    await mailer({ to: email, messageId, ...composeMail(mail.about, reasonLanguage(language), consoleUrl) });
  } catch (error) {
    return error;
  }
  await failpoint('mail.sent');
  return undefined;
}
