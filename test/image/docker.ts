import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The engine's command line client. Answers with its output; throws what it says when it fails. */
export async function docker(...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('docker', [...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    throw new Error(`docker ${args[0]}: ${stderr.trim()}${stdout.trim()}`, { cause: error });
  }
}

/** Whether an engine answers. */
export async function hasEngine(): Promise<boolean> {
  return docker('version').then(
    () => true,
    () => false,
  );
}

/** Both streams of a container's output, all of it. */
export async function logsOf(id: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', id], { maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}
