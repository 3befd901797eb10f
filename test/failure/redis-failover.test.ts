import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort } from '@survey/local/ports.ts';
import { startRedis } from '@survey/local/redis.ts';
import { toolOf } from '@survey/process/tool.ts';
import { openRedis } from '@survey/process/open-redis.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { startFaultyRedis } from './faulty-store.ts';
import { startRedisSentinels } from './redis-sentinels.ts';
import { startSwitch } from './switch.ts';

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
const folder = await mkdtemp(join(inject('postgres').folder, 'redis-'));
closing.defer(() => rm(folder, { recursive: true, force: true }));
const sentinels = closing.use(await startRedisSentinels(folder));

const open = async (url: string) => {
  const tool = toolOf('test');
  closing.use(tool.resources);
  const redis = await openRedis({ url, name: 'test', commandTimeoutMs: 10_000 }, tool);
  const connected = async () => /redis_connected(?:{.*})? (\d)/.exec(await tool.metrics.metrics())?.[1];
  return { redis, connected };
};

it('uses the new primary after a failover by Sentinel', async () => {
  const { redis, connected } = await open(sentinels.url);
  await expect.poll(connected).toBe('1');
  const old = await sentinels.primary();
  await old.kill();
  expect(await connected()).toBe('0');
  // A Sentinel that got no processor for 2 s does nothing for the 30 s after that.
  const state = async () => [await connected(), redis.status, (await sentinels.primary()) === old];
  await expect.poll(state, { timeout: 160_000 }).toEqual(['1', 'ready', false]);
  expect(await redis.set('key', 'value')).toBe('OK');
  await old.start();
  expect(await redis.get('key')).toBe('value');
});

it('connects again after its client has given up', async () => {
  const { redis, connected } = await open(sentinels.url);
  await expect.poll(connected).toBe('1');
  redis.disconnect();
  await expect.poll(() => redis.status).toBe('end');
  await expect.poll(connected).toBe('1');
});

it('leaves a primary that has become a replica and keeps its connections', async () => {
  const [old, successor] = [await startFaultyRedis(join(folder, 'old')), await startFaultyRedis(join(folder, 'successor'))];
  closing.use(old);
  closing.use(successor);
  // A host name whose address changes: new connections reach the successor, open ones stay.
  const name = closing.use(await startSwitch(Number(new URL(old.url).port)));
  const { redis, connected } = await open(`redis://127.0.0.1:${name.port}`);
  await expect.poll(connected).toBe('1');
  const { hostname, port } = new URL(successor.url);
  await redis.call('replicaof', hostname, port);
  expect(await connected()).toBe('0');
  name.leadTo(Number(port));
  await expect.poll(connected).toBe('1');
  expect(await redis.set('key', 'value')).toBe('OK');
});

it('does not start when the URL of a server names a Sentinel', async () => {
  await expect(open(sentinels.sentinelUrl)).rejects.toThrow('cannot use Redis in mode sentinel: set REDIS_URL');
});

it('does not start when the URL names a node of a Redis Cluster', async () => {
  const node = await startRedis({
    dir: join(folder, 'cluster'),
    log: () => undefined,
    // Its own port for the cluster would be 10,000 above, where another server may listen.
    args: ['--cluster-enabled', 'yes', '--cluster-port', String(await reservePort())],
  });
  closing.defer(() => node.stop());
  await expect(open(node.url)).rejects.toThrow('cannot use Redis in mode cluster: set REDIS_URL');
});
