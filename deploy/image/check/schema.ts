import { missingMigrations } from '@survey/postgres/migrate.ts';

/**
 * Checks that the database has this version's schema.
 * @throws with what is missing
 */
export async function checkSchema(databaseUrl: string): Promise<string> {
  const missing = await missingMigrations(databaseUrl);
  if (missing.length > 0) throw new Error(`not migrated: ${missing.join(', ')}; run prepare`);
  return "the database has this version's schema";
}
