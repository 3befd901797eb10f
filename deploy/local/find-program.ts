import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

// Debian keeps servers in sbin, which an ordinary user's PATH omits; some shells omit Homebrew's
// folder.
const ALSO = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** Returns the full path of a program, or undefined when it is not installed. */
export async function findProgram(name: string, folders = searchedFolders()): Promise<string | undefined> {
  for (const folder of folders) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

function searchedFolders(): string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...ALSO];
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
