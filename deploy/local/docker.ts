import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Progress } from './store.ts';
import type { Command } from './supervise.ts';

const run = promisify(execFile);
const ENGINE_TIMEOUT_MS = 5_000;

/** The image when a Docker engine answers and has it or can pull it, else undefined. */
export async function dockerImage(image: string, log: Progress): Promise<string | undefined> {
  if (!(await answers(['version', '--format', '{{.Server.Version}}'], ENGINE_TIMEOUT_MS))) return undefined;
  if (await answers(['image', 'inspect', image], ENGINE_TIMEOUT_MS)) return image;
  log(`pulling the container image ${image}`);
  return (await answers(['pull', '--quiet', image])) ? image : undefined;
}

export interface Container {
  readonly image: string;
  // Mounted at /data, written as the user who starts us, so that they can remove it.
  readonly dir: string;
  // Of 127.0.0.1, and of the container.
  readonly port: number;
  readonly innerPort: number;
  readonly args: readonly string[];
}

/**
 * The command line that runs a container in the foreground: it gets our signals, and is removed
 * when it ends.
 */
export async function dockerRun({ image, dir, port, innerPort, args }: Container): Promise<Command> {
  const name = `survey-${basename(dir)}-${createHash('sha256').update(dir).digest('hex').slice(0, 8)}`;
  // One that an earlier run left behind holds the name, and perhaps the data.
  await answers(['rm', '--force', name]);
  const user = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : [];
  const place = ['--publish', `127.0.0.1:${port}:${innerPort}`, '--volume', `${dir}:/data`];
  return { command: 'docker', args: ['run', '--rm', '--init', '--name', name, ...user, ...place, image, ...args] };
}

async function answers(args: string[], timeoutMs = 0): Promise<boolean> {
  return run('docker', args, { timeout: timeoutMs }).then(
    () => true,
    () => false,
  );
}
