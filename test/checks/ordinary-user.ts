import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '@survey/local/find-program.ts';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const HIDDEN = ['nats-server', 'redis-server'];

/**
 * A user without privileges. Run by root, its processes find neither NATS nor Redis on the machine;
 * run by another user, it is that user.
 */
export class OrdinaryUser {
  readonly #name: string | undefined;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(name: string | undefined, environment: NodeJS.ProcessEnv) {
    this.#name = name;
    this.#environment = environment;
  }

  /** Creates a user that owns `folder`, and whose home it is. It is deleted with the object. */
  static async create(folder: string): Promise<OrdinaryUser> {
    // Without the tools of this repository, which a reader of the README does not have yet.
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.startsWith(REPOSITORY));
    const environment = { PATH: folders.join(delimiter), HOME: folder, LANG: 'C.UTF-8', ...certificates() };
    if (process.getuid?.() !== 0) return new OrdinaryUser(undefined, { ...process.env, PATH: environment.PATH });
    const name = `survey-${process.pid}`;
    await run('useradd', ['--system', '--home-dir', folder, name]);
    await run('chown', ['--recursive', name, folder]);
    return new OrdinaryUser(name, environment);
  }

  async spawn(command: string, cwd: string): Promise<ChildProcess> {
    const [program, ...args] =
      this.#name === undefined ? (['bash', '-c', command] as const) : await this.#become(this.#name, command);
    return spawn(program, args, { cwd, env: this.#environment, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  // A mount namespace hides programs from these processes only.
  async #become(name: string, command: string): Promise<[string, ...string[]]> {
    const programs = await Promise.all(HIDDEN.map((program) => findProgram(program)));
    const mounts = programs.flatMap((file) => (file === undefined ? [] : [`mount --bind /dev/null ${file}`]));
    const become = `exec setpriv --reuid=${name} --regid=${name} --clear-groups --inh-caps=-all bash -c "$0"`;
    return ['unshare', '--mount', 'sh', '-c', ['set -e', ...mounts, become].join('\n'), command];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#name !== undefined) await run('userdel', [this.#name]);
  }
}

// A machine behind a proxy may need them to reach the npm registry.
function certificates(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
}
