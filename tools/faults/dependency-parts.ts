import { measureUnavailable, type Loaded } from './unavailable-stores.ts';
import { inFolder } from '../../test/support/in-folder.ts';
import type { FaultOptions } from './fault-options.ts';
import { measureFrozenDependencies } from './frozen-dependencies.ts';
import type { Goal } from './goals.ts';
import { measureNoisyNeighbours } from './noisy-neighbours.ts';
import { measurePostgresRestart, measureSilence } from './postgres-restarts.ts';
import { DRAINING, rollEverything } from './rolling.ts';
import { startSilentProxy, type SilentProxy } from '../../test/failure/silent-proxy.ts';
import { crowd } from './slow-clients.ts';
import { somethingToRead } from './read-fixture.ts';
import { startWholeStack } from '../../test/failure/whole-stack.ts';

/** The bus. */
export const natsUnavailable = (options: FaultOptions): Promise<Goal[]> =>
  withWholeStack(options, (loaded) => measureUnavailable('NATS', loaded.stack.nats, loaded));

/** Redis. */
export const redisUnavailable = (options: FaultOptions): Promise<Goal[]> =>
  withWholeStack(options, (loaded) => measureUnavailable('Redis', loaded.stack.redis, loaded));

export const postgresRestart = (options: FaultOptions): Promise<Goal[]> =>
  withWholeStack(options, ({ stack, readable, forMs }) => measurePostgresRestart(stack, readable, forMs));

/** PostgreSQL behind a network that drops all packets. */
export const silentNetwork = ({ rounds, seconds }: FaultOptions): Promise<Goal[]> =>
  inFolder(async (folder) => {
    await using proxies = new AsyncDisposableStack();
    const proxied = Promise.withResolvers<SilentProxy>();
    const databasePort = async (port: number): Promise<number> => {
      const proxy = proxies.use(await startSilentProxy(port));
      proxied.resolve(proxy);
      return proxy.port;
    };
    await using stack = await startWholeStack({ folder, databasePort });
    const readable = await somethingToRead(stack);
    const proxy = await proxied.promise;
    const goals: Goal[] = [];
    for (let round = 0; round < rounds; round += 1)
      goals.push(...(await measureSilence(stack, readable, proxy, seconds * 1_000)));
    return goals;
  });

export const frozenDependency = (options: FaultOptions): Promise<Goal[]> =>
  withWholeStack(options, ({ stack, readable, forMs }) => measureFrozenDependencies(stack, readable, forMs));

export const slowClients = (_options: FaultOptions): Promise<Goal[]> =>
  inFolder(async (folder) => {
    await using stack = await startWholeStack({ folder, logFolder: folder, settings: { LOG_LEVEL: 'info' } });
    return await crowd(stack, await somethingToRead(stack), folder);
  });

/** Effects of one account on others. */
export const noisyNeighbour = (options: FaultOptions): Promise<Goal[]> => withWholeStack(options, measureNoisyNeighbours);

export const rolling = (_options: FaultOptions): Promise<Goal[]> =>
  inFolder(async (folder) => {
    await using stack = await startWholeStack({ folder, copies: 2, settings: DRAINING });
    return await rollEverything(stack, await somethingToRead(stack));
  });

async function withWholeStack({ rounds, seconds }: FaultOptions, measure: (loaded: Loaded) => Promise<Goal[]>): Promise<Goal[]> {
  return inFolder(async (folder) => {
    await using stack = await startWholeStack({ folder });
    const readable = await somethingToRead(stack);
    const goals: Goal[] = [];
    for (let round = 0; round < rounds; round += 1) goals.push(...(await measure({ stack, readable, forMs: seconds * 1_000 })));
    return goals;
  });
}
