import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMailer, type Mailer } from './mailer.ts';

const mail = { to: 'ann@x.io', messageId: '<one@survey.invalid>', subject: 'One', text: 'One' };
const FILE = '_one_survey.invalid_.eml';

async function folderMailer(): Promise<{ folder: string; mailer: Mailer }> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-mail-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mailer = createMailer({ MAIL_DIR: folder, MAIL_FROM: 'survey@survey.invalid', MAIL_TIMEOUT_SECONDS: 5 });
  if (mailer === undefined) throw new Error('no mailer');
  return { folder, mailer };
}

describe('mail folder', () => {
  it('contains one complete file when a mail is sent twice', async () => {
    const { folder, mailer } = await folderMailer();
    await mailer(mail);
    await mailer(mail);
    expect(await readdir(folder)).toEqual([FILE]);
    expect(await readFile(join(folder, FILE), 'utf8')).toContain('To: ann@x.io');
  });

  it('contains no draft when a mail cannot be written', async () => {
    const { folder, mailer } = await folderMailer();
    // Renaming the draft to an existing folder fails.
    await mkdir(join(folder, FILE));
    await expect(mailer(mail)).rejects.toThrow(/rename/);
    expect(await readdir(folder)).toEqual([FILE]);
  });
});
