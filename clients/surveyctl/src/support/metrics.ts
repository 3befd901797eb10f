import { lookup } from 'node:dns/promises';

const TIMEOUT_MS = 5_000;

/**
 * Reads the metrics of each instance behind a host:port. Never throws: the error is the text of the
 * instance.
 */
export async function readMetrics(address: string): Promise<Record<string, string>> {
  const { hostname, port } = new URL(`http://${address}`);
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => []);
  const instances = found.map(({ address: ip, family }) => `${family === 6 ? `[${ip}]` : ip}:${port}`);
  if (instances.length === 0) return { [address]: 'the host name is unknown' };
  return Object.fromEntries(await Promise.all(instances.map(async (one) => [one, await metricsAt(one)] as const)));
}

async function metricsAt(instance: string): Promise<string> {
  try {
    return await (await fetch(`http://${instance}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text();
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  }
}
