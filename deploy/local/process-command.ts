import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The command line of a running process, or undefined when there is none of that number. */
export async function commandOf(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout.trim();
  } catch {
    // Small images have no `ps`; ended processes that nobody waited for have an empty command line.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command === '' ? undefined : command.replaceAll('\0', ' ');
  }
}
