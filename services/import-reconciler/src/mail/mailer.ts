import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { z } from 'zod';

export interface Mail {
  /** A single mailbox: see {@link isMailbox}. */
  to: string;
  // The same for every attempt: a server that accepted it unconfirmed gets it twice under one id.
  messageId: string;
  subject: string;
  text: string;
}

/** Sends one mail. Throws {@link MailNotTaken}, or what writing a file throws. */
export type Mailer = (mail: Mail) => Promise<void>;

// What RFC 5322 allows unquoted, and other letters. The rest could add a recipient or a header.
const MAILBOX = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\].]+(\.[^\s\p{C}"(),:;<>@[\\\].]+)*$/u;
const MAX_MAILBOX_LENGTH = 254;

/** Tells whether a text is one address that a mail can be sent to; an import accepts any text. */
export function isMailbox(email: string): boolean {
  return email.length <= MAX_MAILBOX_LENGTH && MAILBOX.test(email);
}

const transportError = z.object({ code: z.string(), command: z.string(), responseCode: z.number() }).partial();

/** Names the command and the reply code, never the server's text, which repeats addresses. */
export class MailNotTaken extends Error {
  override readonly name = 'MailNotTaken';
  /** Whether the server refused this recipient only: mails to others may pass. */
  readonly isRecipientRefused: boolean;

  constructor(error: unknown) {
    const said = transportError.safeParse(error).data ?? {};
    const { code = 'unknown fault', responseCode = 'no reply', command = 'the connection' } = said;
    super(`the mail server did not take it: ${code}, ${responseCode} to ${command}`);
    this.isRecipientRefused = code === 'EENVELOPE' && command !== 'MAIL FROM';
  }
}

export interface MailSettings {
  // smtp://user:password@host:port or smtps://…
  SMTP_URL?: string | undefined;
  // Without SMTP_URL: a folder for .eml files.
  MAIL_DIR?: string | undefined;
  MAIL_FROM: string;
  MAIL_TIMEOUT_SECONDS: number;
}

/** Sends by SMTP, or writes .eml files without a server. Undefined without both: mails wait. */
export function createMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM, MAIL_TIMEOUT_SECONDS }: MailSettings): Mailer | undefined {
  if (SMTP_URL !== undefined) {
    const transport = createTransport({ url: SMTP_URL });
    const timeoutMs = 1_000 * MAIL_TIMEOUT_SECONDS;
    return async (mail) => {
      // In all: a server may say something now and then and never come to an end.
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
    await writeWhole(join(MAIL_DIR, `${mail.messageId.replaceAll(/[^\w.-]/g, '_')}.eml`), message);
  };
}

function envelope({ to, messageId, subject, text }: Mail) {
  return { to: { name: '', address: to }, messageId, subject, text, disableFileAccess: true, disableUrlAccess: true };
}

// A reader of the folder never sees half a mail. One draft name for all attempts: a killed process
// leaves at most one for each mail.
async function writeWhole(file: string, message: unknown): Promise<void> {
  if (!Buffer.isBuffer(message)) throw new Error('the mail was not rendered');
  const draft = `${file}.draft`;
  try {
    await writeFile(draft, message);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
