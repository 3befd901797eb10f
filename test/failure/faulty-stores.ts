import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { provision } from '@survey/bus/provision.ts';
import { startNats } from '@survey/local/nats.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import type { StartedStore } from '@survey/local/store.ts';
import { lastingPort } from './lasting-port.ts';

const log = (): void => {};

/** A server that can be killed, and comes back at the same address. */
export interface FaultyStore extends AsyncDisposable {
  readonly url: string;
  crash(options?: { wiped: boolean }): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
}

// Each commit reaches the operating system, which outlives the server here; the disk is of no interest.
const CRASHED_NEVER_CUT_OFF = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '200' };

/** A PostgreSQL of one's own: a crash is its immediate shutdown, which commits nothing and flushes nothing. */
export async function startFaultyPostgres(folder: string): Promise<FaultyStore> {
  const dataDir = join(folder, 'postgres');
  const superuserPassword = randomBytes(12).toString('hex');
  const start = (port: number): Promise<StartedStore> =>
    startPostgres({ dataDir, port, settings: CRASHED_NEVER_CUT_OFF, superuserPassword, log });
  const postmaster = async (): Promise<number> => Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
  return faulty(start, postmaster, 'SIGQUIT');
}

/** A NATS of one's own, with every stream. One that lost its store gets its streams again, as whoever operates it would do. */
export async function startFaultyNats(folder: string): Promise<FaultyStore> {
  const storeDir = join(folder, 'nats');
  const start = async (port: number): Promise<StartedStore> => {
    const nats = await startNats({ storeDir, port, log });
    await provision({ natsUrl: nats.url });
    return nats;
  };
  const wipe = (): Promise<void> => rm(join(storeDir, 'jetstream'), { recursive: true, force: true });
  return faulty(start, () => pidOf('nats-server', storeDir), 'SIGKILL', wipe);
}

async function faulty(
  start: (port: number) => Promise<StartedStore>,
  pid: () => Promise<number>,
  signal: NodeJS.Signals,
  wipe?: () => Promise<void>,
): Promise<FaultyStore> {
  let running = await start(lastingPort());
  const { url, port } = running;
  const send = async (what: NodeJS.Signals): Promise<void> => void process.kill(await pid(), what);
  return {
    url,
    crash: async ({ wiped } = { wiped: false }) => {
      await send(signal);
      await running.ended;
      if (wiped) await wipe?.();
      running = await start(port);
      if (running.port !== port) throw new Error('somebody else took the port of the server that was killed');
    },
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    [Symbol.asyncDispose]: () => running.stop(),
  };
}

// Linux only. What keeps the program is a shell with the same arguments.
async function pidOf(program: string, argument: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const [command = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (command.endsWith(program) && args.some((arg) => arg.includes(argument))) return Number(pid);
  }
  throw new Error(`${program} does not run`);
}
