import { Agent, request as httpRequest } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Requests that are sent over so many connections, each again as soon as it is answered, until stopped. */
export interface Attack {
  readonly url: string;
  readonly connections: number;
  readonly method: 'GET' | 'POST';
  // Used in turn.
  readonly keys: readonly string[];
  readonly body?: string;
  // The body is sent byte by byte, one in each second.
  readonly isSlow?: boolean;
}

/** How many requests were answered with each status; 0 for no answer. */
type Statuses = Readonly<Record<number, number>>;

export interface RunningAttack {
  stop(): Promise<Statuses>;
}

/** Attacks from a thread of its own, so that what is measured meanwhile is not disturbed. */
export function startAttack(attack: Attack): RunningAttack {
  const worker = new Worker(new URL(import.meta.url), { workerData: attack });
  const { promise, resolve, reject } = Promise.withResolvers<Statuses>();
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

async function run(attack: Attack): Promise<Statuses> {
  const agent = new Agent({ keepAlive: true, maxSockets: attack.connections });
  const stopped = new AbortController();
  parentPort?.once('message', () => stopped.abort());
  const statuses: Record<number, number> = {};
  let sent = 0;
  const attacker = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const status = await send(attack, attack.keys[sent++ % attack.keys.length] ?? '', agent, stopped.signal);
      // What was cut off by the end of the attack says nothing.
      if (!stopped.signal.aborted) statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: attack.connections }, attacker));
  agent.destroy();
  return statuses;
}

function send({ url, method, body, isSlow }: Attack, key: string, agent: Agent, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const call = httpRequest(url, { method, agent, headers, signal }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', () => resolve(0));
    if (isSlow !== true) {
      call.end(body);
      return;
    }
    const timer = setInterval(() => call.write(' '), 1_000);
    call.once('close', () => clearInterval(timer));
  });
}

if (!isMainThread) parentPort?.postMessage(await run(workerData));
