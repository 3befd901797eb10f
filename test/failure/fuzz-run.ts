import { Agent, request, type IncomingMessage } from 'node:http';
import { fuzzCase, type FuzzCase } from './fuzz-cases.ts';

interface FuzzTarget {
  // Address of the gateway as host:port.
  readonly address: string;
  readonly writeKey: string;
}

interface FuzzOutcome {
  // Number of responses by status.
  readonly statuses: ReadonlyMap<number, number>;
  readonly accepted: readonly string[];
  // Failures with the index of the case that reproduces them.
  readonly faults: readonly string[];
}

const BATCH_SIZE = 8;
const ANSWER_WITHIN_MS = 20_000;

/**
 * Sends a number of cases of a seed. Every response must be a success or a problem document, and
 * none may be 500.
 */
export async function fuzz(target: FuzzTarget, seed: number, count: number, from = 0): Promise<FuzzOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: BATCH_SIZE });
  const statuses = new Map<number, number>();
  const accepted: string[] = [];
  const faults: string[] = [];
  let next = from;
  const client = async (): Promise<void> => {
    for (let index = next++; index < from + count; index = next++) {
      const one = fuzzCase(seed, index);
      const seen = await send(target, agent, one).catch((error: unknown) => ({ status: 0, type: '', body: String(error) }));
      statuses.set(seen.status, (statuses.get(seen.status) ?? 0) + 1);
      const fault = faultOf(one, seen);
      if (fault !== undefined) faults.push(`seed ${seed}, case ${index}: ${one.method} ${one.path.slice(0, 200)}: ${fault}`);
      if (seen.status === 202) accepted.push(String(Object(JSON.parse(seen.body)).import_uuid));
    }
  };
  await Promise.all(Array.from({ length: BATCH_SIZE }, client));
  agent.destroy();
  return { statuses, accepted, faults };
}

interface Seen {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function faultOf({ method }: FuzzCase, { status, type, body }: Seen): string | undefined {
  if (status === 0) return body;
  if (status >= 500) return `${status} ${body}`;
  if (status < 300 || method === 'HEAD') return undefined;
  if (status === 304) return body === '' ? undefined : `304 with a body: ${body}`;
  if (type !== 'application/problem+json') return `${status} with ${type}`;
  if (/\\n\s+at |file:\/\/|node_modules|\bselect\b.*\bfrom\b/i.test(body)) return `${status} reveals internals: ${body}`;
  return undefined;
}

function send({ address, writeKey }: FuzzTarget, agent: Agent, { method, path, headers, body }: FuzzCase): Promise<Seen> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const options = { agent, host, port, method, path, headers: { 'x-api-key': writeKey, ...headers }, insecureHTTPParser: true };
    const call = request(options, (response) => {
      readResponse(response).then(resolve, reject);
    });
    call.setTimeout(ANSWER_WITHIN_MS, () => call.destroy(new Error('no response')));
    call.on('error', reject);
    call.end(body);
  });
}

async function readResponse(response: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const text of response.setEncoding('utf8')) body += String(text);
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body };
}
