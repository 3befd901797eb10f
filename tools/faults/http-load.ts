import { Agent, get } from 'node:http';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Load {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly forMs: number;
  // Requests per second over all connections; default: unlimited.
  readonly perSecond?: number;
}

export interface Outcome {
  readonly answered: number;
  // Per second.
  readonly goodput: number;
  readonly goodP99Ms: number;
  // 429 and 503.
  readonly shed: number;
  readonly shedP50Ms: number;
  readonly shedP99Ms: number;
  readonly shedWithoutRetryAfter: number;
  // Any other status, or no response.
  readonly failed: number;
}

/** Sends load from a separate thread, so that concurrent loads do not distort each other. */
export function loadWith(load: Load): Promise<Outcome> {
  const worker = new Worker(new URL(import.meta.url), { workerData: load });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

interface Tally {
  readonly good: RecordableHistogram;
  readonly shed: RecordableHistogram;
  shedWithoutRetryAfter: number;
  failed: number;
}

async function run({ url, key, connections, forMs, perSecond }: Load): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const tally: Tally = { good: createHistogram(), shed: createHistogram(), shedWithoutRetryAfter: 0, failed: 0 };
  const endsAt = performance.now() + forMs;
  const paceMs = perSecond === undefined ? 0 : (1_000 * connections) / perSecond;
  const client = async (nth: number): Promise<void> => {
    let next = performance.now() + (paceMs * nth) / connections;
    while (performance.now() < endsAt) {
      if (paceMs > 0) await sleep(Math.max(0, next - performance.now()));
      next += paceMs;
      await ask(url, key, agent, tally);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, nth) => client(nth)));
  agent.destroy();
  const { good, shed, shedWithoutRetryAfter, failed } = tally;
  const ms = (histogram: RecordableHistogram, percentile: number): number => histogram.percentile(percentile) / 1e6;
  return {
    answered: good.count,
    goodput: good.count / (forMs / 1_000),
    goodP99Ms: ms(good, 99),
    shed: shed.count,
    shedP50Ms: ms(shed, 50),
    shedP99Ms: ms(shed, 99),
    shedWithoutRetryAfter,
    failed,
  };
}

function ask(url: string, key: string, agent: Agent, tally: Tally): Promise<void> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { 'x-api-key': key } }, (response) => {
      response.resume().once('end', () => {
        const tookNs = Math.max(1, Math.round((performance.now() - startedAt) * 1e6));
        if (response.statusCode === 200) tally.good.record(tookNs);
        else if (response.statusCode === 429 || response.statusCode === 503) tally.shed.record(tookNs);
        else tally.failed += 1;
        if (response.statusCode !== 200 && response.headers['retry-after'] === undefined) tally.shedWithoutRetryAfter += 1;
        resolve();
      });
    });
    request.once('error', () => {
      tally.failed += 1;
      resolve();
    });
  });
}

if (!isMainThread) parentPort?.postMessage(await run(workerData));
