import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

export interface Mail {
  to: readonly string[];
  // The same for every attempt: a server that took it and could not say so gets it twice under one id.
  messageId: string;
  subject: string;
  text: string;
}

export type Mailer = (mail: Mail) => Promise<void>;

export interface MailSettings {
  // smtp://user:password@host:port or smtps://…
  SMTP_URL?: string | undefined;
  // Without SMTP_URL: a folder for .eml files.
  MAIL_DIR?: string | undefined;
  MAIL_FROM: string;
}

const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/** Sends by SMTP, or writes .eml files where no server is given. Undefined when neither is: mails then wait, and are given up in time. */
export function createMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM }: MailSettings): Mailer | undefined {
  if (SMTP_URL !== undefined) {
    const transport = createTransport({ url: SMTP_URL, ...TIMEOUTS_MS });
    return async (mail) => {
      await transport.sendMail({ ...envelope(mail), from: MAIL_FROM });
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
  return { to: [...to], messageId, subject, text, disableFileAccess: true, disableUrlAccess: true };
}

// Whoever watches the folder never sees half a mail.
async function writeWhole(file: string, message: unknown): Promise<void> {
  if (!Buffer.isBuffer(message)) throw new Error('the mail was not rendered');
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, message);
  await rename(draft, file);
}
