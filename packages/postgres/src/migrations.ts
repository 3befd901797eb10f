import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));

/** Returns the names of this version's migrations in order, such as 0001_accounts. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_FOLDER);
  return files.map((file) => parse(file).name).toSorted();
}
