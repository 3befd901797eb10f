import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { BUS_USERS, type BusUser } from '@survey/bus/permissions.ts';
import { ROLES } from '@survey/postgres/migrate.ts';
import { z } from 'zod';

const secrets = z.object({
  consoleSessionKey: z.string().default(() => randomBytes(32).toString('base64')),
  consoleClientSecret: z.string().default(password),
  superuserPassword: z.string().min(1),
  rolePasswords: z.record(z.enum(ROLES), z.string().min(1)),
  // An earlier version did not store these.
  busPasswords: z.custom<BusPasswords>().default(makeBusPasswords),
  // The cache has no persistence, so this may change at each start.
  redisPassword: z.string().min(1).default(password),
});
export type Secrets = z.infer<typeof secrets>;
export type BusPasswords = Readonly<Record<BusUser, string>>;

/**
 * Returns the passwords of this installation: generated at the first start and stored in the file,
 * which only its owner can read.
 */
export async function loadSecrets(file: string): Promise<Secrets> {
  const storedSecrets = await readFile(file, 'utf8').catch(() => undefined);
  if (storedSecrets !== undefined) return secrets.parse(JSON.parse(storedSecrets));
  const fresh = secrets.parse({
    superuserPassword: password(),
    rolePasswords: Object.fromEntries(ROLES.map((role) => [role, password()])),
    busPasswords: makeBusPasswords(),
  });
  await writeFile(file, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return fresh;
}

/** Generates a password for each bus user. */
export function makeBusPasswords(): BusPasswords {
  // One entry per user in BusUser.
  return Object.fromEntries(Object.keys(BUS_USERS).map((user) => [user, password()])) as Record<BusUser, string>;
}

/** Generates a random password without characters that are special in a URL. */
export function password(): string {
  return randomBytes(24).toString('base64url');
}
