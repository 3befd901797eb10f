import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Returns the command line of a running process, or undefined if it does not exist. */
export async function commandOf(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout.trim();
  } catch {
    // Small images have no `ps`; a zombie process has an empty command line.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command === '' ? undefined : command.replaceAll('\0', ' ');
  }
}
