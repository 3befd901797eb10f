import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailboxOf } from '@survey/formats/email-key.ts';
import { createTransport } from 'nodemailer';
import { z } from 'zod';

interface Mail {
  // An address for which isMailbox is true.
  to: string;
  // Constant over all attempts, so a mail that was accepted but not confirmed has the same id
  // twice.
  messageId: string;
  subject: string;
  text: string;
  // Attached as outcome.json.
  outcome?: object;
  // Link by which the recipient ends the mails.
  unsubscribe?: string;
}

/**
 * Sends one mail.
 * @throws {@link MailNotTaken}, or the error of writing the file
 */
export type Mailer = (mail: Mail) => Promise<void>;

const transportError = z.object({ code: z.string(), command: z.string(), responseCode: z.number() }).partial();

/** Names the command and the reply code, never the server's text, which repeats addresses. */
export class MailNotTaken extends Error {
  override readonly name = 'MailNotTaken';
  /** Whether the server rejected only this recipient; mails to others may succeed. */
  readonly isRecipientRejected: boolean;

  constructor(error: unknown) {
    const said = transportError.safeParse(error).data ?? {};
    const { code = 'unknown fault', responseCode = 'no reply', command = 'the connection' } = said;
    super(`the mail server did not take it: ${code}, ${responseCode} to ${command}`);
    this.isRecipientRejected = code === 'EENVELOPE' && command !== 'MAIL FROM';
  }
}

interface MailSettings {
  // smtp://user:password@host:port or smtps://…
  SMTP_URL?: string | undefined;
  // Folder for .eml files, used without SMTP_URL.
  MAIL_DIR?: string | undefined;
  MAIL_FROM: string;
  MAIL_TIMEOUT_SECONDS: number;
}

/**
 * Creates a mailer that sends by SMTP or writes .eml files. Returns undefined when neither is
 * configured; mails then remain pending.
 */
export function createMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM, MAIL_TIMEOUT_SECONDS }: MailSettings): Mailer | undefined {
  if (SMTP_URL !== undefined) {
    const transport = createTransport({ url: SMTP_URL });
    const timeoutMs = 1_000 * MAIL_TIMEOUT_SECONDS;
    return async (mail) => {
      // Total timeout: a slow server could reset a per-command timeout forever.
      const message = { ...envelope(mail), from: MAIL_FROM, signal: AbortSignal.timeout(timeoutMs) };
      await transport.sendMail(message).catch((error: unknown) => {
        throw new MailNotTaken(error);
      });
    };
  }
  if (MAIL_DIR === undefined) return undefined;
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async (mail) => {
    const { message } = await transport.sendMail({ ...envelope(mail), from: MAIL_FROM });
    await writeAtomically(join(MAIL_DIR, `${mail.messageId.replaceAll(/[^\w.-]/g, '_')}.eml`), message);
  };
}

function envelope({ to, messageId, subject, text, outcome, unsubscribe }: Mail) {
  const json = { filename: 'outcome.json', contentType: 'application/json', content: `${JSON.stringify(outcome, null, 2)}\n` };
  const attachments = outcome === undefined ? [] : [json];
  return {
    to: { name: '', address: mailboxOf(to) },
    messageId,
    subject,
    text,
    attachments,
    ...(unsubscribe !== undefined && { list: { unsubscribe } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

// Readers of the folder never see a partial mail. All attempts share one draft name, so a killed
// process leaves at most one draft per mail.
async function writeAtomically(file: string, message: unknown): Promise<void> {
  if (!Buffer.isBuffer(message)) throw new Error('cannot write a mail: not rendered as a buffer');
  const draft = `${file}.draft`;
  try {
    await writeFile(draft, message);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
