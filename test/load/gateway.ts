import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey, parseApiKey } from '@survey/formats/api-key.ts';
import { openApiKeys } from '@survey/gateway/keys/api-keys.ts';
import { reservePort } from '@survey/local/ports.ts';
import type { Demo } from '@survey/local/stack-file.ts';
import { startService, waitUntilReady } from '@survey/local/service-process.ts';
import { toolOf } from '@survey/process/tool.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import autocannon from 'autocannon';
import { byTurns, medianOf, millisecondsOf, percentileOf, type Figure } from '../support/figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { environmentOf, servicePids } from '../support/process-memory.ts';
import { startBaseline, type Baseline } from './baselines/start-baseline.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { get, type BenchStack } from './bench-stack.ts';

const CONNECTIONS = 32;
const ROUNDS = 3;
const KEY_CHECKS = 200_000;
const PAGE = '/v1/employees?limit=100';

/**
 * Measures requests per second beside a plain proxy hop, the time that the gateway adds to a
 * request, and the cost of checking a key.
 */
export async function measureGateway(bench: BenchStack): Promise<Figure[]> {
  const account = await bench.account();
  const file = join(bench.folder, 'gateway.gz');
  await writeSnapshot(file, 1_000);
  await importAndWait(bench, account.write_key, file);
  return [...(await measureThroughput(bench, account)), ...(await measureHop(bench, account)), await measureKeyCheck()];
}

const BARE_HOP = fileURLToPath(new URL('./baselines/grpc-hop.ts', import.meta.url));
const PROXY = fileURLToPath(new URL('./baselines/proxy-hop.ts', import.meta.url));
const PAGE_SERVICE = fileURLToPath(new URL('./baselines/page-service.ts', import.meta.url));

// All forward the same page, which their upstream serves from memory: gRPC for the gateway and the
// bare hop, HTTP for the proxy. `whole` and `bareWhole` read it from PostgreSQL.
async function measureThroughput(bench: BenchStack, { account_id, read_key: key }: Demo): Promise<Figure[]> {
  const { body } = await get(`${bench.stack.gateway_url}${PAGE}`, key);
  const page = join(bench.folder, 'page.json');
  await writeFile(page, body);
  await using service = await startBaseline(PAGE_SERVICE, page);
  await using gateway = await startGatewayTo(new URL(service.url).host);
  await using origin = await startBaseline(PROXY, 'origin', page);
  await using proxy = await startBaseline(PROXY, 'proxy', origin.url);
  await using bare = await startBaseline(BARE_HOP, new URL(service.url).host, String(account_id));
  await using bareWhole = await startBaseline(BARE_HOP, bench.stack.export_address, String(account_id));
  const p99: Record<string, number[]> = { gateway: [], proxy: [], whole: [] };
  const duration = bench.isSmoke ? 1 : 8;
  const load = (name: string, url: string) => async (): Promise<number> => {
    const headers = { 'x-api-key': key };
    const { requests, latency, non2xx, errors } = await autocannon({ url, connections: CONNECTIONS, duration, headers });
    if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${requests.total} requests to the ${name} failed`);
    p99[name]?.push(latency.p99);
    return requests.average;
  };
  await load('gateway (warm-up)', `${gateway.url}${PAGE}`)();
  const rates = await byTurns(ROUNDS, {
    gateway: load('gateway', `${gateway.url}${PAGE}`),
    proxy: load('proxy', proxy.url),
    bare: load('bare hop', `${bare.url}${PAGE}`),
    bareWhole: load('bare hop to export', `${bareWhole.url}${PAGE}`),
    whole: load('whole', `${bench.stack.gateway_url}${PAGE}`),
  });
  const what = `${Math.round(body.length / 1_000)} KB page, ${CONNECTIONS} connections`;
  const beside = (values: readonly number[] = []) => ({ what: 'node:http proxy hop', values });
  const besideBare = (values: readonly number[]) => ({ what: 'bare gRPC hop', values });
  return [
    { what, unit: 'req/s', ours: rates.gateway, beside: beside(rates.proxy), goal: { atLeast: 0.45 } },
    { what, unit: 'req/s', ours: rates.gateway, beside: besideBare(rates.bare), goal: { atLeast: 0.5 } },
    { what: `${what}: p99`, unit: 'ms', ours: p99['gateway'] ?? [], beside: beside(p99['proxy']) },
    {
      what: `${what}, read from PostgreSQL`,
      unit: 'req/s',
      ours: rates.whole,
      beside: beside(rates.proxy),
      goal: { atLeast: 0.18 },
    },
    {
      what: `${what}, read from PostgreSQL`,
      unit: 'req/s',
      ours: rates.whole,
      beside: besideBare(rates.bareWhole),
      goal: { atLeast: 0.7 },
    },
    { what: `${what}, read from PostgreSQL: p99`, unit: 'ms', ours: p99['whole'] ?? [], beside: beside(p99['proxy']) },
  ];
}

// Same environment as the running gateway, with another upstream.
async function startGatewayTo(exportAddress: string): Promise<Baseline> {
  const [http, probe] = [`127.0.0.1:${await reservePort()}`, `127.0.0.1:${await reservePort()}`];
  const running = await environmentOf((await servicePids()).get('gateway') ?? 0);
  const environment = { ...running, EXPORT_ADDRESS: exportAddress, HTTP_LISTEN: http, PROBE_LISTEN: probe };
  const gateway = startService({ name: 'gateway', environment, onLine: () => {} });
  await waitUntilReady('gateway', probe);
  return { url: `http://${http}`, [Symbol.asyncDispose]: () => gateway.stop() };
}

// Reads the same small page through the gateway, through a bare gRPC hop, and from the service by
// gRPC in this process. The differences are the costs of the gateway and of the hop.
async function measureHop({ stack, isSmoke }: BenchStack, { account_id, read_key }: Demo): Promise<Figure[]> {
  const context = toolOf('load');
  const upstream = connectUpstream(ExportServiceDefinition, stack.export_address, context);
  const caller = { requestId: 'load', accountId: account_id };
  await using hop = await startBaseline(BARE_HOP, stack.export_address, String(account_id));
  const read = (url: string) => (): Promise<number> => millisecondsOf(() => get(`${url}/v1/employees?limit=1`, read_key));
  const { gateway, bare, service } = await byTurns(isSmoke ? 20 : 2_000, {
    gateway: read(stack.gateway_url),
    bare: read(hop.url),
    service: () =>
      millisecondsOf(() => upstream.listEmployees({ limit: 1, offset: 0, accept_gzip: false }, { caller, deadlineMs: 2_000 })),
  });
  upstream[Symbol.dispose]();
  await context.resources.disposeAsync();
  const added = (times: readonly number[]): number[] => [
    medianOf([50, 90].map((percent) => percentileOf(times, percent) - percentileOf(service, percent))),
  ];
  const figure = { what: 'one small page: time added by the gateway', unit: 'ms', ours: added(gateway) } as const;
  return [
    { ...figure, goal: { atMost: 0.6 } },
    { ...figure, beside: { what: 'bare gRPC hop', values: added(bare) }, goal: { atMost: 2 } },
  ];
}

async function measureKeyCheck(): Promise<Figure> {
  let lookups = 0;
  const caller = { accountId: 1, keyId: 'a', scope: 'read', rateLimit: null } as const;
  const keys = openApiKeys(async () => {
    lookups += 1;
    return caller;
  });
  const { key } = createApiKey('read');
  const check = async (): Promise<unknown> => keys.find(parseApiKey(key)?.hash ?? Buffer.alloc(0));
  await check();
  const microseconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ms = await millisecondsOf(async () => {
      for (let n = 0; n < KEY_CHECKS; n += 1) await check();
    });
    microseconds.push((ms * 1_000) / KEY_CHECKS);
  }
  // A slow machine outlasts the time for which a key is kept.
  if (lookups > ROUNDS) throw new Error(`cannot measure a cached key: it was looked up ${lookups} times`);
  return { what: 'checking a cached key', unit: 'µs', ours: microseconds, goal: { atMost: 2 } };
}
