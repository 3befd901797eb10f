import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Demo } from './stack-file.ts';

const run = promisify(execFile);
const SURVEYCTL = fileURLToPath(new URL('../../packages/surveyctl/src/main.ts', import.meta.url));
const account = z.object({ account_id: z.number() });
const apiKey = z.object({ key: z.string() });

/** An account named Demo with a connected integration and one key of each scope, made the way an operator makes one. */
export async function createDemoAccount(accountAdminAddress: string): Promise<Demo> {
  const surveyctl = async (...args: string[]): Promise<unknown> => {
    const env = { ...process.env, ACCOUNT_ADMIN_ADDRESS: accountAdminAddress };
    const { stdout } = await run(process.execPath, [SURVEYCTL, ...args, '--json'], { env });
    return JSON.parse(stdout);
  };
  const { account_id } = account.parse(await surveyctl('account', 'create', '--name', 'Demo'));
  const of = ['--account', String(account_id)];
  const [, read, write] = await Promise.all([
    surveyctl('integration', 'connect', ...of),
    surveyctl('key', 'create', ...of, '--scope', 'read'),
    surveyctl('key', 'create', ...of, '--scope', 'employees:write'),
  ]);
  return { account_id, read_key: apiKey.parse(read).key, write_key: apiKey.parse(write).key };
}
