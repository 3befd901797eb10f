import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { dockerRun } from './docker.ts';
import { obtain, PROGRAMS, type Server, type Source } from './install.ts';
import { freePort } from './ports.ts';
import { launchStore, type Progress, type StartedStore } from './store.ts';
import type { Command } from './supervise.ts';

const USUAL_PORT = 6379;
const REDIS: Server = {
  name: 'redis-server',
  image: 'redis:7',
  variable: 'REDIS_URL',
  exampleUrl: 'redis://127.0.0.1:6379',
};

/** Arguments for a cache without persistence. */
export const KEEP_NOTHING = ['--save', '', '--appendonly', 'no', '--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'];

interface RedisOptions {
  // Working folder; created if missing. The log is next to it, as `<dir>.log`.
  readonly dir: string;
  // Used if free, else any free port; 0: any.
  readonly port?: number;
  // Password required from clients; absent: none.
  readonly password?: string;
  // Additional arguments of a program, not of a container.
  readonly args?: readonly string[];
  readonly log: Progress;
}

/** Starts a Redis without persistence on 127.0.0.1. */
export async function startRedis(options: RedisOptions): Promise<StartedStore> {
  const dir = resolve(options.dir);
  await mkdir(dir, { recursive: true });
  const source = await obtain(REDIS, join(dirname(dir), PROGRAMS), options.log);
  const port = await freePort(options.port ?? USUAL_PORT);
  const { password } = options;
  const command = await commandLine(source, { ...options, dir }, port);
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  return launchStore({ name: 'Redis', command, logFile: `${dir}.log`, url, port, probe: () => ping(port, password) });
}

async function commandLine(source: Source, { dir, password, args: more = [] }: RedisOptions, port: number): Promise<Command> {
  // In a file, because every user of the machine can see arguments.
  const file = 'redis.conf';
  await writeFile(join(dir, file), password === undefined ? '' : `requirepass ${password}\n`, { mode: 0o600 });
  if ('program' in source) {
    return {
      command: source.program,
      args: [join(dir, file), '--bind', '127.0.0.1', '--port', String(port), '--dir', dir, ...KEEP_NOTHING, ...more],
    };
  }
  // Inside its own network it must accept the engine's address as well; only 127.0.0.1 is
  // published.
  const args = ['redis-server', `/data/${file}`, '--protected-mode', 'no', '--dir', '/data', ...KEEP_NOTHING];
  return dockerRun({ image: source.image, dir, port, innerPort: 6379, args });
}

async function ping(port: number, password: string | undefined): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    // Without a password, Redis returns an error for AUTH but still serves the next command.
    socket.write(`AUTH ${password ?? 'none'}\r\nPING\r\n`);
    const signal = AbortSignal.timeout(2_000);
    let answer = '';
    while (answer.split('\r\n').length < 3) answer += String((await once(socket, 'data', { signal }))[0]);
    if (!answer.includes('+PONG')) throw new Error(`Redis answers ${answer.trim()}`);
  } finally {
    socket.destroy();
  }
}
