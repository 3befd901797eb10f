import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresAccount } from '@survey/local/account.ts';
import { findProgram } from '@survey/local/find-program.ts';
import { reservePort } from '@survey/local/ports.ts';
import { launchStore, type StartedStore } from '@survey/local/store.ts';
import { Client } from 'pg';
import type { FaultyStore } from '../../test/failure/faulty-store.ts';
import { PatroniNode } from './patroni-node.ts';

const TOOLS = fileURLToPath(new URL('../../.local/tools', import.meta.url));
const DEBIAN = '/usr/lib/postgresql';
const PROMOTED_WITHIN_MS = 180_000;

/** A program that this machine does not have. The message says how to get it. */
export class ProgramMissingError extends Error {
  override readonly name = 'ProgramMissingError';
}

/** The faults are those of the primary; its address is HAProxy's. */
export interface PatroniCluster extends FaultyStore {
  /** Runs a fault on the primary. Resolves when the other node has replaced it. */
  readonly failOver: (fault: (primary: PatroniNode, standby: PatroniNode) => Promise<void>) => Promise<void>;
}

interface PatroniClusterOptions {
  readonly isSynchronous: boolean;
  /** HAProxy notices a failover late, and keeps the sessions of the former primary. */
  readonly keepsSessions?: boolean;
}

/** Starts two PostgreSQL servers under Patroni and etcd, behind HAProxy. */
export async function startPatroniCluster(
  folder: string,
  { isSynchronous, keepsSessions = false }: PatroniClusterOptions,
): Promise<PatroniCluster> {
  await using starting = new AsyncDisposableStack();
  const account = await postgresAccount(folder);
  const [patroni, etcd, haproxy] = await Promise.all(['patroni', 'etcd', 'haproxy'].map(toolNamed));
  await mkdir(folder, { recursive: true });
  const etcdPort = await reservePort();
  starting.use(stopping(await startEtcd(etcd ?? '', folder, etcdPort)));
  const superuserPassword = randomBytes(12).toString('hex');
  const options = {
    account,
    patroni: patroni ?? '',
    programs: await postgresPrograms(),
    etcdPort,
    superuserPassword,
    isSynchronous,
  };
  const createNode = async (name: string): Promise<PatroniNode> =>
    new PatroniNode(folder, name, { ...options, postgresPort: await reservePort(), restPort: await reservePort() });
  const nodes = await Promise.all(['one', 'two'].map(createNode));
  for (const node of nodes) {
    starting.defer(() => node.stop());
    await node.start();
  }
  const port = await reservePort();
  const url = `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`;
  starting.use(stopping(await startHaproxy(haproxy ?? '', { folder, port, url, nodes, keepsSessions })));
  const isStandby = (node: PatroniNode): Promise<boolean> => node.is(isSynchronous ? 'synchronous' : 'replica?lag=0');
  const [one, two] = nodes;
  if (one === undefined || two === undefined) throw new Error('expected two nodes');
  await until('a standby', () => isStandby(two));
  const running = starting.move();
  let [primary, standby] = [one, two];
  const failOver: PatroniCluster['failOver'] = async (fault) => {
    await fault(primary, standby);
    [primary, standby] = [standby, primary];
    await until(`${primary.name} as the primary`, () => primary.acceptsWrites()).catch(async (error: unknown) => {
      throw new Error(`${primary.name} is not promoted:\n${await primary.lastLines()}`, { cause: error });
    });
  };
  const start = async (): Promise<void> => {
    if (!(await standby.is('liveness'))) await standby.start();
    await until(`${standby.name} as a standby`, () => isStandby(standby));
  };
  const kill = (): Promise<void> => failOver((node) => node.kill());
  return {
    url,
    failOver,
    kill,
    start,
    crash: () => kill().then(start),
    pause: () => failOver((node) => node.signal('SIGSTOP')),
    // Patroni needs a watchdog: a frozen primary that resumes can take the leadership back.
    resume: () => standby.reset().then(start),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function toolNamed(name: string): Promise<string> {
  const program = await findProgram(name, [TOOLS, '/usr/bin', '/usr/sbin']);
  if (program === undefined) throw new ProgramMissingError(`cannot find ${name}: run .ci/tools, or install it`);
  return program;
}

async function postgresPrograms(): Promise<string> {
  const [newest] = (await readdir(DEBIAN).catch(() => [])).toSorted((a, b) => Number(b) - Number(a));
  if (newest === undefined)
    throw new ProgramMissingError(`cannot find PostgreSQL in ${DEBIAN}: install Debian's package postgresql`);
  return join(DEBIAN, newest, 'bin');
}

async function startEtcd(program: string, folder: string, port: number): Promise<StartedStore> {
  const [url, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await reservePort()}`];
  const args = [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    `--initial-cluster=default=${peer}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
  ];
  const probe = async (): Promise<void> => {
    if (!(await fetch(`${url}/health`)).ok) throw new Error('etcd is not ready');
  };
  return launchStore({ name: 'etcd', command: { command: program, args }, logFile: join(folder, 'etcd.log'), url, port, probe });
}

interface Balanced {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly nodes: readonly PatroniNode[];
  readonly keepsSessions: boolean;
}

async function startHaproxy(program: string, { folder, port, url, nodes, keepsSessions }: Balanced): Promise<StartedStore> {
  const file = join(folder, 'haproxy.cfg');
  const check = keepsSessions ? 'inter 2s fall 3' : 'inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions';
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.postgresPort} check port ${node.restPort}\n`);
  await writeFile(
    file,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  default-server ${check}
${servers.join('')}`,
  );
  const probe = async (): Promise<void> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  };
  const command = { command: program, args: ['-f', file, '-db'] };
  return launchStore({ name: 'HAProxy', command, logFile: join(folder, 'haproxy.log'), url, port, probe });
}

const stopping = (store: StartedStore): AsyncDisposable => ({ [Symbol.asyncDispose]: () => store.stop() });

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PROMOTED_WITHIN_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`cannot see ${what} within ${PROMOTED_WITHIN_MS / 1_000} s`);
    await sleep(50);
  }
}
