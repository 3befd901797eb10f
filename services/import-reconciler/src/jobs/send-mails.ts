import { setTimeout as sleep } from 'node:timers/promises';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { beginAt0, counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { step } from '@survey/process/step.ts';
import { composeSummary } from '../mail/compose-summary.ts';
import type { Mailer } from '../mail/mailer.ts';
import { claimMail, dueMails, mailFailed, mailSent } from '../sql/mails.ts';
import type { ImportJob } from './apply-import.ts';

const POLL_MS = 2_000;

export interface MailSending {
  // Undefined: mails wait, and are given up in time.
  mailer: Mailer | undefined;
  firstRetryMs: number;
  longestRetryMs: number;
}

/**
 * Sends the summaries that are due, each until the mail server has taken it, for a day at most. A mail is marked in the transaction that
 * holds its row: two senders never send it at once, and only a server that took it without saying so gets it a second time, under the
 * same Message-ID.
 */
export function startMailSender(pool: Pool, sending: MailSending, { log, metrics, resources }: ServiceTools): void {
  const mails = counter(metrics, {
    name: 'import_mails_total',
    help: 'Summaries of imports, by what became of them',
    labelNames: ['outcome'],
  });
  beginAt0(mails, [{ outcome: 'sent' }, { outcome: 'nobody' }, { outcome: 'failed' }, { outcome: 'given_up' }]);
  const stop = new AbortController();
  const send = async (job: ImportJob): Promise<void> => {
    const outcome = await inAccount(pool, job.accountId, (tx) => sendOne(tx, job, sending));
    if (outcome === undefined) return;
    mails.inc({ outcome: outcome.kind });
    const ids = { account: job.accountId, import: job.importUuid };
    if (outcome.kind === 'sent' && outcome.refused > 0)
      log.warn({ ...ids, refused: outcome.refused }, 'the mail server took a summary for some of the admins only');
    if (outcome.kind === 'given_up')
      log.error({ ...ids, err: outcome.error }, 'a summary of an import could not be sent for a day');
    if (outcome.kind === 'failed') log.warn({ ...ids, err: outcome.error }, 'a summary of an import waits for the mail server');
  };
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        for (const job of await dueMails(pool)) await send(job);
      } catch (error) {
        log.warn({ err: error }, 'mails wait');
      }
      await sleep(Math.min(POLL_MS, sending.firstRetryMs), undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = loop();
  resources.defer(() => {
    stop.abort();
    return running;
  });
}

type MailOutcome = { kind: 'sent'; refused: number } | { kind: 'nobody' } | { kind: 'failed' | 'given_up'; error: unknown };

async function sendOne(
  tx: Parameters<typeof claimMail>[0],
  { accountId, importUuid }: ImportJob,
  { mailer, firstRetryMs, longestRetryMs }: MailSending,
): Promise<MailOutcome | undefined> {
  const mail = await claimMail(tx, accountId, importUuid);
  if (mail === undefined) return undefined;
  // A mail server may take its time; the row stays locked meanwhile.
  await tx.query(
    `select set_config(name, (2 * setting::int)::text, true) from pg_settings where name = 'idle_in_transaction_session_timeout'`,
  );
  await step('mail.claimed');
  try {
    const delivered = mail.to.length > 0 ? await deliver(mailer, mail.to, importUuid, composeSummary(mail)) : undefined;
    await step('mail.sent');
    await mailSent(tx, accountId, importUuid);
    await step('mail.marked');
    return delivered === undefined ? { kind: 'nobody' } : { kind: 'sent', ...delivered };
  } catch (error) {
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** mail.attempts);
    const givenUp = await mailFailed(tx, accountId, importUuid, delayMs);
    return { kind: givenUp ? 'given_up' : 'failed', error };
  }
}

async function deliver(
  mailer: Mailer | undefined,
  to: readonly string[],
  importUuid: string,
  content: { subject: string; text: string },
): Promise<{ refused: number }> {
  if (mailer === undefined) throw new Error('neither SMTP_URL nor MAIL_DIR is set');
  return mailer({ to, messageId: `<import-${importUuid}@survey.invalid>`, ...content });
}
