import { createHash } from 'node:crypto';
import { Agent, get, type IncomingMessage } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** One request of a steady load. */
export interface Read {
  readonly path: string;
  // On the clock of performance.now() and of performance.timeOrigin: comparable between threads.
  readonly sentAt: number;
  readonly tookMs: number;
  // 0 when no answer came.
  readonly status: number;
  readonly type: string;
  // Of the body as it came.
  readonly sha256: string;
}

interface SteadyLoad {
  readonly url: string;
  readonly key: string;
  readonly paths: readonly string[];
  // Sent at this pace whether answers come or not: who waits for one holds nobody up.
  readonly perSecond: number;
}

interface SteadyReads {
  /** Sends no more, waits for what is under way, and answers with all of it. */
  stop(): Promise<Read[]>;
}

const NOBODY_WAITS_LONGER_MS = 60_000;

/** The time that `sentAt` counts in. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** Reads each path in turn, from a thread of its own, so that what the test does meanwhile does not count. */
export function readSteadily(load: SteadyLoad): SteadyReads {
  const worker = new Worker(new URL(import.meta.url), { workerData: load });
  const { promise, resolve, reject } = Promise.withResolvers<Read[]>();
  promise.catch(() => undefined);
  worker.once('message', resolve);
  worker.once('error', reject);
  return {
    stop: () => {
      worker.postMessage('stop');
      return promise;
    },
  };
}

async function run({ url, key, paths, perSecond }: SteadyLoad): Promise<Read[]> {
  const agent = new Agent({ keepAlive: true });
  const reads: Promise<Read>[] = [];
  const send = (): void => {
    const path = paths[reads.length % paths.length] ?? '';
    reads.push(read(`${url}${path}`, path, key, agent));
  };
  const pace = setInterval(send, 1_000 / perSecond);
  await new Promise((resolve) => parentPort?.once('message', resolve));
  clearInterval(pace);
  const all = await Promise.all(reads);
  agent.destroy();
  return all;
}

async function read(url: string, path: string, key: string, agent: Agent): Promise<Read> {
  const sentAt = steadyNow();
  const seen = await ask(url, key, agent).catch(() => ({ status: 0, type: '', sha256: '' }));
  return { path, sentAt, tookMs: steadyNow() - sentAt, ...seen };
}

function ask(url: string, key: string, agent: Agent): Promise<Pick<Read, 'status' | 'type' | 'sha256'>> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { 'x-api-key': key } }, (response) => {
      digest(response).then(resolve, reject);
    });
    request.setTimeout(NOBODY_WAITS_LONGER_MS, () => request.destroy(new Error('no answer')));
    request.once('error', reject);
  });
}

async function digest(response: IncomingMessage): Promise<Pick<Read, 'status' | 'type' | 'sha256'>> {
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk);
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    sha256: hash.digest('hex'),
  };
}

if (!isMainThread) parentPort?.postMessage(await run(workerData));
