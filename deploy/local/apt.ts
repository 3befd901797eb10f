import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Progress } from './store.ts';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
// Programs that Debian packages call to start their daemons.
const STARTERS = ['invoke-rc.d', 'deb-systemd-invoke', 'service', 'systemctl'];

export async function aptIsUsable(): Promise<boolean> {
  if (process.getuid?.() !== 0 || (await findProgram('apt-get')) === undefined) return false;
  return exists('/etc/debian_version');
}

// Installations run one at a time: apt locks the package database, and two stores may need it at
// once.
let turn: Promise<void> = Promise.resolve();

/**
 * Installs a Debian package without starting its daemon, now or at the next boot.
 * @throws with apt's output
 */
export function aptInstall(name: string, log: Progress): Promise<void> {
  turn = turn.catch(() => undefined).then(() => installQuietly(name, log));
  return turn;
}

// Programs that start daemons are shadowed by no-ops for this call only: a policy-rc.d file would
// affect the whole machine, and remain if this process were killed.
async function installQuietly(name: string, log: Progress): Promise<void> {
  const hidden = await mkdtemp(join(tmpdir(), 'survey-apt-'));
  try {
    for (const starter of STARTERS) await symlink('/bin/true', join(hidden, starter));
    await installOrUpdate(name, ['-o', `DPkg::Path=${hidden}:${SYSTEM_PATH}`], log);
    if (await exists('/run/systemd/system')) await run('systemctl', ['disable', '--now', name]).catch(() => undefined);
  } finally {
    await rm(hidden, { recursive: true, force: true });
  }
}

async function installOrUpdate(name: string, options: string[], log: Progress): Promise<void> {
  log(`installing Debian's package ${name}`);
  const install = ['install', '-y', '--no-install-recommends', ...options, name];
  try {
    await apt(install);
  } catch {
    // A fresh image has no package lists, and old lists name deleted files.
    log("reading Debian's package lists");
    await apt(['update']);
    log(`installing Debian's package ${name}`);
    await apt(install);
  }
}

async function apt(args: string[]): Promise<void> {
  const quiet = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' };
  const flags = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  await run('apt-get', [...flags, ...args], { env: { ...process.env, ...quiet }, maxBuffer: 16 * 1024 * 1024 });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
