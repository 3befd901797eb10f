import type { AccountWork } from '@survey/bus/account-work.ts';
import { isMailbox } from '@survey/formats/email-key.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { initializeToZero, counter } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { composeMail } from './compose-mail.ts';
import { MailNotTaken, type Mailer } from './mailer.ts';
import {
  claimMail,
  createToken,
  dueMails,
  markMailFailed,
  markMailSent,
  recordRecipient,
  scheduleConfirmations,
  scheduleGuardMails,
  scheduleKeyMails,
  scheduleLateMail,
  type DueMail,
  type MailKey,
  type Recipient,
} from './mails.ts';

const POLL_MS = 2_000;

interface MailSending {
  // Undefined: mails remain pending and are given up after a day.
  mailer: Mailer | undefined;
  // Base of links; undefined: mails have none.
  consoleUrl: string | undefined;
  firstRetryMs: number;
  longestRetryMs: number;
}

interface MailWork extends Pick<AccountWork, 'kind' | 'wokenBy' | 'sweep'> {
  readonly schedule: (tx: Client, accountId: number) => Promise<void>;
}

const idsOf = ({ rows }: { readonly rows: readonly { readonly id: number }[] }): number[] => rows.map(({ id }) => id);

const MAIL_WORKS: readonly MailWork[] = [
  // Each change of the disclosure guard (rule GUARD-SETTING-1).
  {
    kind: 'guard-mail',
    wokenBy: 'events.settings.changed',
    sweep: async (pool) => idsOf(await pool.query<{ id: number }>('select id from imports.accounts_with_guard_change() as id')),
    schedule: scheduleGuardMails,
  },
  // Snapshots that do not come, or come again (rule IMPORT-LIFECYCLE-MAIL-4).
  {
    kind: 'schedule-mail',
    wokenBy: 'events.import.applied',
    sweep: async (pool) => idsOf(await pool.query<{ id: number }>('select id from imports.accounts_off_schedule() as id')),
    schedule: scheduleLateMail,
  },
  // API keys that are about to expire (rule AUTH-EXPIRY-2).
  {
    kind: 'key-expiry-mail',
    sweep: async (pool) => idsOf(await pool.query<{ id: number }>('select id from imports.accounts_with_expiring_keys() as id')),
    schedule: scheduleKeyMails,
  },
];

/** Creates the account works that schedule mails which are not about the end of an import. */
export const mailWorks = (pool: Pool): AccountWork[] =>
  MAIL_WORKS.map(({ schedule, ...due }) => ({
    ...due,
    work: async (accountId) => {
      await inAccount(pool, accountId, (tx) => schedule(tx, accountId));
      return undefined;
    },
  }));

/**
 * Sends due mails to each recipient in a separate mail and retries for up to a day. Each mail is
 * recorded in the transaction that locks the mail's row, so two senders never send it at once.
 * Only a server that accepted a mail without confirming it receives it again, with the same
 * Message-ID.
 */
export function startMailSender(pool: Pool, sending: MailSending, { log, metrics, resources }: ServiceContext): void {
  const mails = counter(metrics, {
    name: 'import_mails_total',
    help: 'Attempted mails to account admins and confirmed addresses, by outcome.',
    labelNames: ['outcome'],
  });
  initializeToZero(mails, [{ outcome: 'sent' }, { outcome: 'no_recipients' }, { outcome: 'failed' }, { outcome: 'given_up' }]);
  const send = async (key: MailKey): Promise<void> => {
    const outcome = await sendToAll(pool, key, sending).catch((error: unknown) => putOff(pool, key, sending, error));
    if (outcome === undefined) return;
    mails.inc({ outcome: outcome.kind });
    const ids = { account_id: key.accountId, mail: key.id };
    if (outcome.unusable.length > 0)
      log.warn({ ...ids, recipients: outcome.unusable }, 'recipients with unusable e-mail addresses skipped');
    if (outcome.kind === 'sent' && outcome.errors.size > 0)
      log.warn({ ...ids, recipients: [...outcome.errors.keys()] }, 'mail rejected for some recipients');
    const [err] = outcome.errors.values();
    if (outcome.kind === 'given_up') log.error({ ...ids, err }, 'mail given up');
    if (outcome.kind === 'failed') log.warn({ ...ids, err }, 'mail deferred');
  };
  const sendDue = async (): Promise<void> => {
    for (const key of await dueMails(pool)) await send(key);
  };
  const everyMs = Math.min(POLL_MS, sending.firstRetryMs);
  resources.use(repeat(everyMs, sendDue, (error) => log.warn({ err: error }, 'mail sending failed')));
  // Less often, because addresses are rarely added, and every look costs a statement.
  const schedule = () => scheduleConfirmations(pool);
  resources.use(repeat(10 * everyMs, schedule, (error) => log.warn({ err: error }, 'requests to confirm addresses not found')));
}

interface MailOutcome {
  kind: 'sent' | 'no_recipients' | 'failed' | 'given_up';
  // Errors by recipient.
  errors: ReadonlyMap<string, unknown>;
  // Recipients without a usable address; empty until the mail has ended.
  unusable: readonly string[];
}

/** Names a recipient in logs and Message-IDs, without the address. */
const nameOf = ({ kind, id }: Recipient): string => (kind === 'admin' ? String(id) : `address-${id}`);

/**
 * Sends to each recipient in a separate transaction. Returns undefined when another sender holds
 * the mail.
 */
async function sendToAll(pool: Pool, key: MailKey, sending: MailSending): Promise<MailOutcome | undefined> {
  const errors = new Map<string, unknown>();
  const token = await inAccount(pool, key.accountId, (tx) => createToken(tx, key));
  for (;;) {
    const outcome = await inAccount(pool, key.accountId, (tx) => sendNext(tx, key, token, sending, errors));
    if (outcome !== 'more') return outcome;
  }
}

// A mail that cannot be composed, for example because its records take too long to read, must not
// delay all others.
async function putOff(pool: Pool, key: MailKey, { firstRetryMs }: MailSending, error: unknown): Promise<MailOutcome> {
  const kind = await inAccount(pool, key.accountId, (tx) => markMailFailed(tx, key, firstRetryMs));
  return { kind, errors: new Map([['all', error]]), unusable: [] };
}

async function sendNext(
  tx: Client,
  key: MailKey,
  token: string | undefined,
  { mailer, consoleUrl, firstRetryMs, longestRetryMs }: MailSending,
  errors: Map<string, unknown>,
): Promise<MailOutcome | 'more' | undefined> {
  const mail = await claimMail(tx, key, token);
  if (mail === undefined) return undefined;
  const usable = mail.recipients.filter(({ email }) => isMailbox(email));
  const unusable = mail.recipients.filter(({ email }) => !isMailbox(email)).map(nameOf);
  const next = usable.find((recipient) => !errors.has(nameOf(recipient)));
  if (next !== undefined && [...errors.values()].every(isRecipientRejected)) {
    const error = await sendOne(tx, mail, next, { mailer, consoleUrl });
    if (error === undefined) await recordRecipient(tx, key, next);
    else errors.set(nameOf(next), error);
    return 'more';
  }
  if (errors.size === 0) {
    const recipients = await markMailSent(tx, key);
    await failpoint('mail.marked');
    return { kind: recipients === 0 ? 'no_recipients' : 'sent', errors, unusable };
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
  recipient: Recipient,
  { mailer, consoleUrl }: Pick<MailSending, 'mailer' | 'consoleUrl'>,
): Promise<unknown> {
  // The row is locked while the mail server responds, which may take long.
  await tx.query(
    `select set_config(name, (2 * setting::int)::text, true) from pg_settings where name = 'idle_in_transaction_session_timeout'`,
  );
  await failpoint('mail.claimed');
  if (mailer === undefined) return new Error('neither SMTP_URL nor MAIL_DIR is set');
  try {
    const kind = 'guard' in mail.about ? 'guard' : 'keyName' in mail.about ? 'key' : 'import';
    const messageId = `<${kind}-${mail.id}-${nameOf(recipient)}@survey.invalid>`;
    await mailer({ to: recipient.email, messageId, ...composeMail(mail, recipient, consoleUrl) });
  } catch (error) {
    return error;
  }
  await failpoint('mail.sent');
  return undefined;
}
