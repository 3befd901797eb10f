import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a docker command and returns its output. @throws with its message when it fails. */
export async function docker(...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('docker', [...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    throw new Error(`cannot run docker ${args[0]}: ${stderr.trim()}${stdout.trim()}`, { cause: error });
  }
}

/** Returns whether a Docker engine responds. */
export async function hasEngine(): Promise<boolean> {
  return docker('version').then(
    () => true,
    () => false,
  );
}

/** Returns the complete output of a container, standard output first. */
export async function logsOf(id: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', id], { maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}
