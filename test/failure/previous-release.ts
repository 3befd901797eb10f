import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RELEASED = 'packages/postgres/released-migrations.json';
const MAX_OUTPUT = 64 * 1024 * 1024;
const run = promisify(execFile);

/** A commit of this repository. */
export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

/**
 * Returns the commit of the last release: the last one before this that wrote `record`, a file that
 * only releases write. UPGRADE_FROM names another. Undefined without a history, as in an archive or
 * a shallow clone, whose oldest commit seems to have written everything.
 */
export async function previousRelease(record = RELEASED): Promise<Commit | undefined> {
  const named = process.env['UPGRADE_FROM'];
  const which = named === undefined ? ['HEAD~1', '--', record] : [named];
  const found = await git('log', '-1', '--format=%H %s%n%P', ...which).catch(() => '');
  const [commit = '', parents] = found.trim().split('\n');
  const [hash = '', ...subject] = commit.split(' ');
  return hash === '' || parents === undefined ? undefined : { hash, subject: subject.join(' ') };
}

/**
 * Returns the folder of a checkout of the commit with its dependencies, which is kept below .local.
 * @throws when the dependencies cannot be installed, for example without a registry
 */
export async function checkOut({ hash }: Commit): Promise<string> {
  const folder = join(ROOT, '.local', 'releases', hash);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await run('sh', ['-c', `git archive ${hash} | tar -x -C "$0"`, unfinished], { cwd: ROOT });
    // Installs what its lockfile names, and prints a usage.
    await run(process.execPath, ['deploy/local/run.mjs', 'test/run.ts', '--help'], { cwd: unfinished, maxBuffer: MAX_OUTPUT });
    await rename(unfinished, folder);
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function git(...args: readonly string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout;
}
