import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { provision } from '@survey/bus/provision.ts';
import type { Server } from '@survey/local/install.ts';
import { NATS, startNats } from '@survey/local/nats.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { reservePort } from '@survey/local/ports.ts';
import { REDIS, startRedis } from '@survey/local/redis.ts';
import type { StartedStore } from '@survey/local/store.ts';

const log = (): void => {};

/** A server that can be killed and restarts at the same address. */
export interface FaultyStore extends AsyncDisposable {
  readonly url: string;
  readonly kill: () => Promise<void>;
  // Restarts the server at the same address, also without its data. Resolves when it is ready.
  readonly start: (options?: { wiped: boolean }) => Promise<void>;
  // Kills the server and restarts it immediately.
  crash(options?: { wiped: boolean }): Promise<void>;
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
}

// Each commit reaches the operating system, which survives the crash; no need to wait for the disk.
const CRASHED_NEVER_CUT_OFF = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '200' };

/**
 * Starts a PostgreSQL server that is killed by an immediate shutdown, without flushing anything.
 */
export async function startFaultyPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> = CRASHED_NEVER_CUT_OFF,
  superuserPassword = randomBytes(12).toString('hex'),
): Promise<FaultyStore> {
  const dataDir = join(folder, 'postgres');
  const start = (port: number): Promise<StartedStore> => startPostgres({ dataDir, port, settings, superuserPassword, log });
  const postmaster = async (): Promise<number> => Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
  return faulty({ start, pid: postmaster, signal: 'SIGQUIT' });
}

/** Starts a NATS server with all streams. After losing its store it gets them again. */
export async function startFaultyNats(folder: string): Promise<FaultyStore> {
  const storeDir = join(folder, 'nats');
  const start = async (port: number): Promise<StartedStore> => {
    const nats = await startNats({ storeDir, port, log });
    await provision({ natsUrl: nats.url });
    return nats;
  };
  const wipe = (): Promise<void> => rm(join(storeDir, 'jetstream'), { recursive: true, force: true });
  return faulty({ start, pid: () => pidOf(NATS, storeDir), signal: 'SIGKILL', wipe });
}

export async function startFaultyRedis(folder: string): Promise<FaultyStore> {
  const dir = join(folder, 'redis');
  return faulty({
    start: (port) => startRedis({ dir, port, log }),
    pid: (port) => pidOf(REDIS, `127.0.0.1:${port}`),
    signal: 'SIGKILL',
  });
}

export interface Killable {
  readonly start: (port: number) => Promise<StartedStore>;
  readonly pid: (port: number) => Promise<number>;
  // Immediate shutdown.
  readonly signal: NodeJS.Signals;
  readonly wipe?: () => Promise<void>;
}

/** Starts a server that can be killed and restarts on its port. */
export async function faulty({ start, pid, signal, wipe }: Killable): Promise<FaultyStore> {
  let running = await start(await reservePort());
  const { url, port } = running;
  let paused: number[] = [];
  const kill = async (): Promise<void> => {
    process.kill(await pid(port), signal);
    await running.ended;
  };
  // The first process starts the others, so it is stopped before they are listed.
  const pause = async (): Promise<void> => {
    const first = await pid(port);
    process.kill(first, 'SIGSTOP');
    paused = [first, ...(await childrenOf(first))];
    for (const one of paused) process.kill(one, 'SIGSTOP');
  };
  const resume = (): Promise<void> => {
    for (const one of paused.splice(0)) process.kill(one, 'SIGCONT');
    return Promise.resolve();
  };
  const startAgain = async ({ wiped } = { wiped: false }): Promise<void> => {
    if (wiped) await wipe?.();
    running = await start(port);
    if (running.port !== port) throw new Error('cannot restart the killed server: another process uses its port');
  };
  return {
    url,
    kill,
    start: startAgain,
    crash: async (options) => {
      await kill();
      await startAgain(options);
    },
    pause,
    resume,
    [Symbol.asyncDispose]: async () => {
      await resume();
      await running.stop();
    },
  };
}

// Linux only.
async function childrenOf(pid: number): Promise<number[]> {
  const lists = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return lists.split(' ').filter(Boolean).map(Number);
}

// Linux only. The wrapper of the program is a shell with the same arguments. Redis overwrites its
// arguments with text that contains spaces.
export async function pidOf({ names }: Server, argument: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const [command = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split(/[\0 ]/);
    if (names.some((name) => command.endsWith(name)) && args.some((arg) => arg.includes(argument))) return Number(pid);
  }
  throw new Error(`cannot find the process of ${names.join(' or ')}`);
}
