import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Progress } from './store.ts';
import type { Command } from './supervise.ts';

const run = promisify(execFile);
const ENGINE_TIMEOUT_MS = 5_000;

/** Returns the image if a Docker engine responds and has it or can pull it, else undefined. */
export async function dockerImage(image: string, log: Progress): Promise<string | undefined> {
  if (!(await answers(['version', '--format', '{{.Server.Version}}'], ENGINE_TIMEOUT_MS))) return undefined;
  if (await answers(['image', 'inspect', image], ENGINE_TIMEOUT_MS)) return image;
  log(`pulling the container image ${image}`);
  return (await answers(['pull', '--quiet', image])) ? image : undefined;
}

interface Container {
  readonly image: string;
  // Mounted at /data; written as the current user, so that they can remove it.
  readonly dir: string;
  // Port on 127.0.0.1, and in the container.
  readonly port: number;
  readonly innerPort: number;
  readonly args: readonly string[];
}

/**
 * Returns the command line that runs a container in the foreground: it receives our signals and is
 * removed when it ends.
 */
export async function dockerRun({ image, dir, port, innerPort, args }: Container): Promise<Command> {
  const name = `survey-${basename(dir)}-${createHash('sha256').update(dir).digest('hex').slice(0, 8)}`;
  // A container of an earlier run holds the name, and perhaps the data.
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
