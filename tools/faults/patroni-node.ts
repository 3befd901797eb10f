import { chown, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '@survey/local/account.ts';
import { launchStore, type StartedStore } from '@survey/local/store.ts';
import { Client } from 'pg';
import { Document } from 'yaml';

export interface PatroniOptions {
  readonly account: Account;
  readonly patroni: string;
  // Folder of PostgreSQL's programs.
  readonly programs: string;
  readonly etcdPort: number;
  readonly superuserPassword: string;
  readonly postgresPort: number;
  readonly restPort: number;
  // Whether commits wait for a standby, even while there is none.
  readonly isSynchronous: boolean;
}

const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: 200, unix_socket_directories: '' };
const HBA = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 scram-sha-256`);

/** A machine with PostgreSQL and its Patroni, as far as faults are concerned. */
export class PatroniNode {
  readonly postgresPort: number;
  readonly restPort: number;
  readonly name: string;
  readonly #folder: string;
  readonly #dataDir: string;
  readonly #options: PatroniOptions;
  #running: StartedStore | undefined;

  constructor(folder: string, name: string, options: PatroniOptions) {
    this.name = name;
    this.postgresPort = options.postgresPort;
    this.restPort = options.restPort;
    this.#folder = join(folder, name);
    this.#dataDir = join(this.#folder, 'data');
    this.#options = options;
  }

  /** Starts Patroni, which creates the data directory or copies it from the primary. */
  async start(): Promise<void> {
    const { account, patroni } = this.#options;
    await mkdir(this.#folder, { recursive: true });
    await chown(this.#folder, account.uid, account.gid);
    const file = join(this.#folder, 'patroni.yaml');
    await writeFile(file, String(new Document(this.#configuration())), { mode: 0o600 });
    await chown(file, account.uid, account.gid);
    const [url, port] = [`http://127.0.0.1:${this.restPort}`, this.restPort];
    const probe = async (): Promise<void> => {
      if (!(await this.is('readiness'))) throw new Error('PostgreSQL is not ready');
    };
    const command = account.wrap(patroni, [file]);
    this.#running = await launchStore({ name: 'Patroni', command, logFile: `${this.#folder}.log`, url, port, probe });
  }

  /** Returns whether Patroni's REST API confirms a state, such as `primary` or `synchronous`. */
  async is(state: string): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.restPort}/${state}`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Returns whether PostgreSQL has been promoted; Patroni reports a primary before that. */
  async acceptsWrites(): Promise<boolean> {
    const password = this.#options.superuserPassword;
    const at = { host: '127.0.0.1', port: this.postgresPort, user: 'postgres', password, database: 'postgres' };
    const client = new Client({ ...at, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ is: boolean }>('select not pg_is_in_recovery() as is');
      return (await this.is('primary')) && rows[0]?.is === true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  }

  /** What Patroni logged last: why it does not promote PostgreSQL, for example. */
  async lastLines(): Promise<string> {
    return (await readFile(`${this.#folder}.log`, 'utf8')).split('\n').slice(-20).join('\n');
  }

  async switchTo(candidate: PatroniNode): Promise<void> {
    const body = JSON.stringify({ leader: this.name, candidate: candidate.name });
    const response = await fetch(`http://127.0.0.1:${this.restPort}/switchover`, { method: 'POST', body });
    if (!response.ok) throw new Error(`cannot switch over: ${await response.text()}`);
  }

  /** Kills the machine, as a watchdog does. */
  async reset(): Promise<void> {
    await this.signal('SIGKILL');
    await this.#running?.ended;
  }

  /** Kills the machine, and deletes its data, which may have commits that were lost. */
  async kill(): Promise<void> {
    await this.reset();
    await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Sends a signal to Patroni and all PostgreSQL processes. */
  async signal(name: NodeJS.Signals): Promise<void> {
    for (const { pid } of await this.#processes(true)) signal(pid, name);
  }

  /** Kills all PostgreSQL processes; Patroni notices it. */
  async killPostgres(): Promise<void> {
    for (const { pid } of await this.#processes(false)) signal(pid, 'SIGKILL');
  }

  /** Sends no log to the standby for some time, and then kills the machine. */
  async killWithheld(withheldMs: number): Promise<void> {
    for (const { pid, command } of await this.#processes(false)) if (command.includes('walsender')) signal(pid, 'SIGSTOP');
    await sleep(withheldMs);
    await this.kill();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  // Linux only. PostgreSQL's processes work in the data directory.
  async #processes(withPatroni: boolean): Promise<{ pid: number; command: string }[]> {
    const found = (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
        const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
        const isOurs =
          cwd === this.#dataDir || (withPatroni && /^\S*python3\S* /.test(command) && command.includes(this.#folder));
        return isOurs ? [{ pid: Number(name), command }] : [];
      });
    return (await Promise.all(found)).flat();
  }

  #configuration() {
    const { programs, etcdPort, superuserPassword, isSynchronous } = this.#options;
    const at = (port: number): string => `127.0.0.1:${port}`;
    const listen = (port: number) => ({ listen: at(port), connect_address: at(port) });
    return {
      scope: 'survey',
      name: this.name,
      restapi: listen(this.restPort),
      etcd3: { host: at(etcdPort) },
      bootstrap: {
        dcs: {
          ttl: 10,
          loop_wait: 1,
          retry_timeout: 3,
          // A killed PostgreSQL is replaced at once instead of restarted.
          master_start_timeout: 0,
          // However far the standby is behind: what is lost thereby is what the test is about.
          maximum_lag_on_failover: 2 ** 30,
          synchronous_mode: isSynchronous,
          synchronous_mode_strict: isSynchronous,
          postgresql: { parameters: SETTINGS },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      },
      postgresql: {
        ...listen(this.postgresPort),
        data_dir: this.#dataDir,
        bin_dir: programs,
        pgpass: join(this.#folder, 'pgpass'),
        pg_hba: HBA,
        remove_data_directory_on_diverged_timelines: true,
        // A spread checkpoint would delay a copy by minutes.
        basebackup: [{ checkpoint: 'fast' }],
        authentication: {
          superuser: { username: 'postgres', password: superuserPassword },
          replication: { username: 'replicator', password: superuserPassword },
        },
      },
    };
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
