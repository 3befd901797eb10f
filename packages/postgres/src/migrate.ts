import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { MIGRATIONS_FOLDER, migrationNames } from './migrations.ts';

// One role for each service: what it may read and write is granted in the migrations.
export const ROLES = [
  'survey_gateway',
  'survey_export',
  'survey_imports',
  'survey_scoring',
  'survey_text',
  'survey_admin',
] as const;

export type Role = (typeof ROLES)[number];

export interface MigrateOptions {
  // Of the owner of the tables: a role that may create roles and schemas.
  databaseUrl: string;
  // Set as given; a role without one keeps the password it has.
  rolePasswords?: Partial<Record<Role, string>>;
  log?: (message: string) => void;
}

/** Brings the database to this version's schema: forward only, safe to run twice and side by side (advisory lock). */
export async function migrate({ databaseUrl, rolePasswords = {}, log = () => {} }: MigrateOptions): Promise<void> {
  const applied = await runner({
    databaseUrl,
    dir: MIGRATIONS_FOLDER,
    direction: 'up',
    migrationsTable: 'migration',
    checkOrder: true,
    singleTransaction: false,
    advisoryLockMode: 'wait',
    log: () => {},
  });
  for (const { name } of applied) log(`migrated ${name}`);
  await setPasswords(databaseUrl, rolePasswords);
}

/** Names of this version's migrations that the database does not have. `databaseUrl` is the owner's. */
export async function missingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select name from migration');
    const applied = new Set(rows.map(({ name }) => name));
    return (await migrationNames()).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

async function setPasswords(databaseUrl: string, passwords: Partial<Record<Role, string>>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [role, password] of Object.entries(passwords)) {
      await client.query(`alter role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`);
    }
  } finally {
    await client.end();
  }
}
