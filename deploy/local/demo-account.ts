import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Demo } from './stack-file.ts';

const run = promisify(execFile);
const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const account = z.object({ account_id: z.number() });
const apiKey = z.object({ key: z.string() });

/**
 * Creates an account named Demo with a connected integration and one key per scope, as an operator
 * would.
 */
export async function createDemoAccount(accountAdminAddress: string): Promise<Demo> {
  const ask = surveyctl.bind(undefined, accountAdminAddress);
  const { account_id } = account.parse(await ask('account', 'create', '--name', 'Demo'));
  const of = ['--account', String(account_id)];
  const [, read, write] = await Promise.all([
    ask('integration', 'connect', ...of),
    ask('key', 'create', ...of, '--scope', 'read'),
    ask('key', 'create', ...of, '--scope', 'employees:write'),
  ]);
  return { account_id, read_key: apiKey.parse(read).key, write_key: apiKey.parse(write).key };
}

/** Changes settings of the demo account by flags of `surveyctl settings set`. */
export async function setSettings(accountAdminAddress: string, { account_id }: Demo, ...flags: string[]): Promise<void> {
  await surveyctl(accountAdminAddress, 'settings', 'set', '--account', String(account_id), ...flags);
}

/** Lets users of these issuers administer the account in the console. */
export async function setIssuers(accountAdminAddress: string, accountId: number, issuers: readonly string[]): Promise<void> {
  await surveyctl(
    accountAdminAddress,
    'account',
    'issuers',
    '--account',
    String(accountId),
    ...issuers.flatMap((issuer) => ['--issuer', issuer]),
  );
}

async function surveyctl(accountAdminAddress: string, ...args: string[]): Promise<unknown> {
  const env = { ...process.env, ACCOUNT_ADMIN_ADDRESS: accountAdminAddress };
  const { stdout } = await run(process.execPath, [SURVEYCTL, ...args, '--json'], { env });
  return JSON.parse(stdout);
}
