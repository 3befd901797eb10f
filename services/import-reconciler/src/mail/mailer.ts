import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { z } from 'zod';

export interface Mail {
  to: readonly string[];
  // The same for every attempt: a server that took it and could not say so gets it twice under one id.
  messageId: string;
  subject: string;
  text: string;
}

/** Answers with how many of the recipients the server refused while it took the mail for others. Throws MailNotTaken, or what writing a file throws. */
export type Mailer = (mail: Mail) => Promise<{ refused: number }>;

/** Says at which command, and with which reply code; never the server's words, which repeat addresses. */
export class MailNotTaken extends Error {
  override readonly name = 'MailNotTaken';

  constructor(error: unknown) {
    const said =
      z.object({ code: z.string(), command: z.string(), responseCode: z.number() }).partial().safeParse(error).data ?? {};
    const { code = 'unknown fault', responseCode = 'no reply', command = 'the connection' } = said;
    super(`the mail server did not take it: ${code}, ${responseCode} to ${command}`);
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

/** Sends by SMTP, or writes .eml files where no server is given. Undefined when neither is: mails then wait, and are given up in time. */
export function createMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM, MAIL_TIMEOUT_SECONDS }: MailSettings): Mailer | undefined {
  if (SMTP_URL !== undefined) {
    const transport = createTransport({ url: SMTP_URL });
    const timeoutMs = 1_000 * MAIL_TIMEOUT_SECONDS;
    return async (mail) => {
      // In all: a server may say something now and then and never come to an end.
      const message = { ...envelope(mail), from: MAIL_FROM, signal: AbortSignal.timeout(timeoutMs) };
      const { rejected } = await transport.sendMail(message).catch((error: unknown) => {
        throw new MailNotTaken(error);
      });
      return { refused: rejected.length };
    };
  }
  if (MAIL_DIR === undefined) return undefined;
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async (mail) => {
    const { message } = await transport.sendMail({ ...envelope(mail), from: MAIL_FROM });
    await writeWhole(join(MAIL_DIR, `${mail.messageId.replaceAll(/[^\w.-]/g, '_')}.eml`), message);
    return { refused: 0 };
  };
}

function envelope({ to, messageId, subject, text }: Mail) {
  return { to: [...to], messageId, subject, text, disableFileAccess: true, disableUrlAccess: true };
}

// Whoever watches the folder never sees half a mail.
async function writeWhole(file: string, message: unknown): Promise<void> {
  if (!Buffer.isBuffer(message)) throw new Error('the mail was not rendered');
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, message);
  await rename(draft, file);
}
