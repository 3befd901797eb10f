import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import type { Demo, Stack } from '@survey/local/stack-file.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { limitServices } from '../support/pod-memory/limit-services.ts';
import { type MemoryWatch, watchMemory } from '../support/pod-memory/watch-memory.ts';
import { servicePids } from '../support/process-memory.ts';

/**
 * All services as processes with the memory of their pods, on empty stores in a temporary folder.
 */
export interface BenchStack {
  readonly stack: Stack;
  // Connections of the superuser.
  readonly pool: Pool;
  readonly folder: string;
  readonly memory: MemoryWatch;
  // Whether to use small sizes, which only show that the benchmarks work.
  readonly isSmoke: boolean;
  account(): Promise<Demo>;
}

const MAX_STATEMENT_MS = 3_600_000;

/** Starts the stack, on the database of `databaseUrl` (a superuser) if given. */
export async function openBenchStack(started: AsyncDisposableStack, isSmoke: boolean, databaseUrl?: string): Promise<BenchStack> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-load-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: databaseUrl, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
  // All requests use one key.
  process.env['RATE_LIMIT'] = '1000000';
  const nodeOptions = await limitServices(started);
  const { stack } = await startLocalStack({ folder, demo: false, nodeOptions, given, started });
  const pids = await servicePids();
  const memory = started.use(watchMemory((name) => pids.get(name)));
  const tool = toolOf('load');
  const pool = openDatabase({ url: stack.database_url, name: 'load', statementTimeoutMs: MAX_STATEMENT_MS }, tool);
  started.defer(() => tool.resources.disposeAsync());
  return { stack, pool, folder, memory, isSmoke, account: () => createDemoAccount(stack.account_admin_address) };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends a GET request on a kept-alive connection and reads the body.
 * @throws unless it is 200, or 304 where an ETag is sent
 */
export function get(url: string, key: string, etag?: string): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, ...(etag !== undefined && { 'if-none-match': etag }) };
    const call = request(url, { agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        if (status === (etag === undefined ? 200 : 304)) resolve({ status, headers, body: Buffer.concat(parts) });
        else reject(new Error(`cannot read ${url}: status ${status}`));
      });
    });
    call.on('error', reject).end();
  });
}

/**
 * Repeats a request until it succeeds: loading an account can exceed the deadline of the endpoint.
 */
export async function waitUntilServed(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch {
      await sleep(100);
    }
  }
}
