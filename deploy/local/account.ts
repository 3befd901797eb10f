import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);

/** The operating-system account that runs PostgreSQL, and a wrapper for commands run as it. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
}

/**
 * PostgreSQL refuses to run as root, so root runs it as another account; other users run it as
 * themselves. The account gets a capability only if it cannot enter `folder` or this repository
 * otherwise.
 */
export async function postgresAccount(folder?: string): Promise<Account> {
  const { getuid, getgid } = process;
  if (getuid === undefined || getgid === undefined)
    throw new Error('cannot start PostgreSQL: only Linux and macOS are supported');
  if (getuid() !== 0) return { uid: getuid(), gid: getgid(), wrap: (command, args) => ({ command, args: [...args] }) };
  const { uid, gid } = await unprivileged();
  const setpriv = await findProgram('setpriv');
  if (setpriv === undefined)
    throw new Error('cannot run PostgreSQL as root: install util-linux (setpriv), or start as another user');
  const become = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const enters = ['sh', '-c', 'test -x "$1" && test -r "$2"', 'sh', folder ?? '', fileURLToPath(import.meta.url)];
  if (await succeeds(setpriv, [...become, ...NO_CAPABILITIES, ...enters])) {
    return { uid, gid, wrap: (command, args) => ({ command: setpriv, args: [...become, ...NO_CAPABILITIES, command, ...args] }) };
  }
  const powers = (await succeeds(setpriv, [...become, ...EVERYWHERE, 'true'])) ? EVERYWHERE : [];
  return { uid, gid, wrap: (command, args) => ({ command: setpriv, args: [...become, ...powers, command, ...args] }) };
}

const NO_CAPABILITIES = ['--inh-caps=-all'];

// The working copy may be below a folder that only root can enter, such as /root. The capability
// bypasses file permissions; the securebit makes access(2) respect it, which PostgreSQL uses to
// find its programs. Containers may withhold both: then the folder must be open to other users.
const EVERYWHERE = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];

async function unprivileged(): Promise<{ uid: number; gid: number }> {
  const name = (await succeeds('id', ['-u', 'postgres'])) ? 'postgres' : 'nobody';
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
  return { uid, gid };
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

async function idOf(flag: '-u' | '-g', name: string): Promise<number> {
  const { stdout } = await run('id', [flag, name]);
  return Number(stdout);
}
