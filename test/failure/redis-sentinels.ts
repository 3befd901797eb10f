import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REDIS } from '@survey/local/redis.ts';
import { reservePort } from '@survey/local/ports.ts';
import { launchStore, type StartedStore } from '@survey/local/store.ts';
import { Redis } from 'ioredis';
import { obtainProgram } from '../support/processes.ts';
import { startFaultyRedis, type FaultyStore } from './faulty-store.ts';

const SENTINELS = 3;
const GROUP = 'survey';
const STARTED_WITHIN_MS = 30_000;

export interface RedisSentinels extends AsyncDisposable {
  readonly url: string;
  /** Address of one Sentinel. */
  readonly sentinelUrl: string;
  /** Returns the server that the Sentinels name. */
  primary(): Promise<FaultyStore>;
}

/** Starts two Redis servers under three Sentinels. */
export async function startRedisSentinels(folder: string): Promise<RedisSentinels> {
  await using starting = new AsyncDisposableStack();
  const [primary, replica] = [await startFaultyRedis(join(folder, 'a')), await startFaultyRedis(join(folder, 'b'))];
  starting.use(primary);
  starting.use(replica);
  const { hostname, port } = new URL(primary.url);
  await call(replica.url, ['replicaof', hostname, port]);
  const ports = await Promise.all(Array.from({ length: SENTINELS }, reservePort));
  for (const one of ports) {
    const sentinel = await startSentinel(join(folder, `sentinel-${one}`), one, `${hostname} ${port}`);
    starting.defer(() => sentinel.stop());
  }
  const sentinelUrl = `redis://127.0.0.1:${ports[0]}`;
  for (const one of ports) await untilKnown(`redis://127.0.0.1:${one}`);
  const running = starting.move();
  return {
    url: ports.map((one) => `redis+sentinel://127.0.0.1:${one}/${GROUP}`).join(','),
    sentinelUrl,
    primary: async () => {
      const named = await call(sentinelUrl, ['sentinel', 'get-master-addr-by-name', GROUP]);
      return String(named).endsWith(`,${port}`) ? primary : replica;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startSentinel(folder: string, port: number, watched: string): Promise<StartedStore> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'sentinel.conf');
  await writeFile(
    file,
    `bind 127.0.0.1
port ${port}
dir ${folder}
sentinel monitor ${GROUP} ${watched} 2
sentinel down-after-milliseconds ${GROUP} 500
sentinel failover-timeout ${GROUP} 3000
`,
  );
  const program = await obtainProgram(REDIS);
  const url = `redis://127.0.0.1:${port}`;
  const probe = async (): Promise<void> => void (await call(url, ['ping']));
  return launchStore({
    name: 'Sentinel',
    command: { command: program, args: [file, '--sentinel'] },
    logFile: `${folder}.log`,
    url,
    port,
    probe,
  });
}

// A failover needs the votes of other Sentinels, and a replica that has copied the primary.
async function untilKnown(sentinelUrl: string): Promise<void> {
  const deadline = Date.now() + STARTED_WITHIN_MS;
  for (;;) {
    const state = String(await call(sentinelUrl, ['sentinel', 'master', GROUP]));
    const replicas = String(await call(sentinelUrl, ['sentinel', 'replicas', GROUP]));
    const isReady = replicas.includes('master-link-status,ok') && replicas.includes('flags,slave,');
    if (isReady && state.includes(`num-other-sentinels,${SENTINELS - 1}`)) return;
    if (Date.now() > deadline) throw new Error('cannot start Sentinels: they do not find each other');
    await sleep(50);
  }
}

async function call(url: string, [command = '', ...args]: readonly string[]): Promise<unknown> {
  const redis = new Redis(url, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
