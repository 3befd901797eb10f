import { fork } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { setPriority } from 'node:os';

/** Requests sent over several connections, each repeated as soon as its response arrives. */
export interface Attack {
  readonly url: string;
  readonly connections: number;
  readonly method: 'GET' | 'POST';
  // Used in rotation.
  readonly keys: readonly string[];
  readonly body?: string;
  // Whether the body is sent at one byte per second.
  readonly isSlow?: boolean;
}

/** Number of responses by status; 0 counts requests without a response. */
type Statuses = Readonly<Record<number, number>>;

export interface RunningAttack {
  stop(): Promise<Statuses>;
}

// An attacker has a machine of its own: here its client leaves the cores to the services.
const CLIENT_PRIORITY = 19;

/** Sends the requests from a separate process, so that it does not distort measurements. */
export function startAttack(attack: Attack): RunningAttack {
  const client = fork(import.meta.filename);
  const statuses = new Promise<Statuses>((resolve, reject) => {
    client.once('message', (received) => {
      client.disconnect();
      resolve(received as Statuses);
    });
    client.once('exit', () => reject(new Error('the client of the attack ended')));
  });
  statuses.catch(() => undefined);
  client.send(attack);
  return {
    stop: () => {
      client.send('stop');
      return statuses;
    },
  };
}

async function run(attack: Attack): Promise<Statuses> {
  const agent = new Agent({ keepAlive: true, maxSockets: attack.connections });
  const stopped = new AbortController();
  process.once('message', () => stopped.abort());
  const statuses: Record<number, number> = {};
  let sent = 0;
  const attacker = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const status = await send(attack, attack.keys[sent++ % attack.keys.length] ?? '', agent, stopped.signal);
      // Ignores requests that the end of the attack aborted.
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

if (process.argv[1] === import.meta.filename) {
  setPriority(CLIENT_PRIORITY);
  process.once('message', (attack) => {
    void run(attack as Attack).then((statuses) => process.send?.(statuses));
  });
}
