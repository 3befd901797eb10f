import { mkdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { dockerRun } from './docker.ts';
import { obtain, type Server, type Source } from './install.ts';
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

/** Arguments: a cache, all of which may be lost. */
export const KEEP_NOTHING = ['--save', '', '--appendonly', 'no', '--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'];

export interface RedisOptions {
  // Its working folder; created when missing. The log lies beside it, as `<dir>.log`.
  readonly dir: string;
  // Taken when free, else any free port; 0 for any.
  readonly port?: number;
  readonly log: Progress;
}

/** Starts a Redis on 127.0.0.1 that keeps nothing: all it holds may be lost. */
export async function startRedis(options: RedisOptions): Promise<StartedStore> {
  const dir = resolve(options.dir);
  await mkdir(dir, { recursive: true });
  const source = await obtain(REDIS, join(dirname(dir), 'programs'), options.log);
  const port = await freePort(options.port ?? USUAL_PORT);
  const command = await commandLine(source, dir, port);
  const url = `redis://127.0.0.1:${port}`;
  return launchStore({ name: 'Redis', command, logFile: `${dir}.log`, url, port, probe: () => ping(port) });
}

async function commandLine(source: Source, dir: string, port: number): Promise<Command> {
  if ('program' in source) {
    return { command: source.program, args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, ...KEEP_NOTHING] };
  }
  // Inside its own network it must answer the engine's address as well: what reaches it from outside is 127.0.0.1 alone.
  const args = ['redis-server', '--protected-mode', 'no', '--dir', '/data', ...KEEP_NOTHING];
  return dockerRun({ image: source.image, dir, port, innerPort: 6379, args });
}

async function ping(port: number): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(2_000) });
    if (!String(answer).startsWith('+PONG')) throw new Error(`Redis answers ${String(answer).trim()}`);
  } finally {
    socket.destroy();
  }
}
