import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { provision } from '@survey/bus/provision.ts';
import { NATS, startNats } from '@survey/local/nats.ts';
import { faulty, pidOf, type FaultyStore } from '../../test/failure/faulty-store.ts';
import { reservePort } from '@survey/local/ports.ts';

const SERVERS = 3;
const ELECTED_WITHIN_MS = 60_000;

export interface NatsCluster extends AsyncDisposable {
  /** Addresses of all servers, separated by commas. */
  readonly url: string;
  readonly servers: readonly FaultyStore[];
  /** Creates lost streams again. */
  readonly provision: () => Promise<void>;
}

/** Starts three NATS servers, with three replicas of each stream. */
export async function startNatsCluster(folder: string): Promise<NatsCluster> {
  await using starting = new AsyncDisposableStack();
  const routes = await Promise.all(Array.from({ length: SERVERS }, reservePort));
  const servers = await Promise.all(
    routes.map((own, at) => {
      const storeDir = join(folder, `nats-${at}`);
      return faulty({
        start: (port) =>
          startNats({ storeDir, port, cluster: { name: `server-${at}`, port: own, routes }, log: () => undefined }),
        pid: () => pidOf(NATS, storeDir),
        signal: 'SIGKILL',
        wipe: () => rm(join(storeDir, 'jetstream'), { recursive: true, force: true }),
      });
    }),
  );
  for (const server of servers) starting.use(server);
  const url = servers.map((server) => server.url).join(',');
  await untilProvisioned(url);
  const running = starting.move();
  return { url, servers, provision: () => untilProvisioned(url), [Symbol.asyncDispose]: () => running.disposeAsync() };
}

// The servers first elect a leader.
async function untilProvisioned(natsUrl: string): Promise<void> {
  const deadline = Date.now() + ELECTED_WITHIN_MS;
  for (;;) {
    try {
      return await provision({ natsUrl, replicas: SERVERS });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
