import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processSettings, readEnvironment } from './environment.ts';

const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
// URLs whose clients read no password from a variable of their own, as PostgreSQL's reads
// PGPASSWORD, and the URL of a pooler, whose role is another.
const PASSWORDS = [
  ['NATS_URL', 'NATS_PASSWORD'],
  ['DATABASE_POOLER_URL', 'DATABASE_POOLER_PASSWORD'],
  ['REDIS_URL', 'REDIS_PASSWORD'],
] as const;
const USER_ONLY = /^([\w+]+:\/\/[^:@/]+)@/;

/**
 * Sets a variable for each file in the folder SECRETS_DIR that is named like one. Then adds the
 * passwords of PASSWORDS to the URLs that name only a user.
 * @throws when the folder or a file cannot be read
 */
export function loadSecretFiles(environment: NodeJS.ProcessEnv = process.env): void {
  const { SECRETS_DIR: folder } = readEnvironment({ SECRETS_DIR: processSettings.SECRETS_DIR }, environment);
  if (folder !== undefined)
    for (const name of readdirSync(folder).filter((file) => VARIABLE.test(file)))
      environment[name] = readFileSync(join(folder, name), 'utf8').trimEnd();
  for (const [url, password] of PASSWORDS) {
    const secret = encodeURIComponent(environment[password] ?? '');
    if (secret !== '') environment[url] = environment[url]?.replace(USER_ONLY, (_, user: string) => `${user}:${secret}@`);
  }
}
