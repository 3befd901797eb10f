import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { ROLES } from '@survey/postgres/migrate.ts';
import { z } from 'zod';

const secrets = z.object({ superuserPassword: z.string().min(1), rolePasswords: z.record(z.enum(ROLES), z.string().min(1)) });
export type Secrets = z.infer<typeof secrets>;

/** The passwords of this installation: made up at the first start, kept in the file, readable by its owner alone. */
export async function loadSecrets(file: string): Promise<Secrets> {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return secrets.parse(JSON.parse(kept));
  const fresh = secrets.parse({
    superuserPassword: password(),
    rolePasswords: Object.fromEntries(ROLES.map((role) => [role, password()])),
  });
  await writeFile(file, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return fresh;
}

function password(): string {
  return randomBytes(24).toString('base64url');
}
