import { chmod, chown, mkdir } from 'node:fs/promises';
import { postgresAccount } from './account.ts';

/**
 * Creates a folder for passwords and data that no other user can enter. When root starts it,
 * PostgreSQL's account can pass through.
 */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return chmod(folder, 0o700);
  const { gid } = await postgresAccount();
  await chown(folder, 0, gid);
  await chmod(folder, 0o710);
}
