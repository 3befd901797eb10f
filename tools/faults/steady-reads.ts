import { createHash } from 'node:crypto';
import { Agent, get, type IncomingMessage } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** One request of a load with a constant rate. */
export interface Read {
  readonly path: string;
  // performance.timeOrigin + performance.now(), which is comparable between threads.
  readonly sentAt: number;
  readonly tookMs: number;
  // 0 without a response.
  readonly status: number;
  readonly type: string;
  // SHA-256 of the body as received.
  readonly sha256: string;
}

interface SteadyLoad {
  readonly url: string;
  readonly key: string;
  readonly paths: readonly string[];
  // Requests are sent at this rate, independently of responses.
  readonly perSecond: number;
}

interface SteadyReads {
  /** Stops sending, waits for outstanding responses, and returns all requests. */
  stop(): Promise<Read[]>;
}

const REQUEST_TIMEOUT_MS = 60_000;

/** Returns the current time on the clock of `sentAt`. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** Reads the paths in rotation from a separate thread, unaffected by work of the test. */
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
    request.setTimeout(REQUEST_TIMEOUT_MS, () => request.destroy(new Error('no response')));
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
