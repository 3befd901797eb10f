import { copyFile, stat, truncate } from 'node:fs/promises';

const MAX_BYTES = 16 * 2 ** 20;

/**
 * Moves the lines of a large log to `<file>.1`. The program that writes it must have opened it for
 * appending. Lines that it writes during the move are lost.
 */
export async function rotateLog(file: string, maxBytes = MAX_BYTES): Promise<void> {
  const { size } = await stat(file);
  if (size <= maxBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}
