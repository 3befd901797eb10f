import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import type { Demo, Stack } from '@survey/local/stack-file.ts';
import { openDatabase, type Pool } from '@survey/postgres/database.ts';
import { toolOf } from '@survey/process/tool.ts';

/** The whole service, each part a process of its own, on empty stores in a folder of its own. */
export interface BenchStack {
  readonly stack: Stack;
  // The superuser's.
  readonly pool: Pool;
  readonly folder: string;
  // Smaller sizes: shows that the benchmarks work, and measures nothing.
  readonly isSmoke: boolean;
  account(): Promise<Demo>;
}

const MAX_STATEMENT_MS = 3_600_000;

/** `databaseUrl` is the superuser's, of a database that somebody else has started. */
export async function openWorld(started: AsyncDisposableStack, isSmoke: boolean, databaseUrl?: string): Promise<BenchStack> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-load-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: databaseUrl, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
  // One key asks for all of it.
  process.env['RATE_LIMIT'] = '1000000';
  const { stack } = await startLocalStack({ folder, demo: false, given, started });
  const tool = toolOf('load');
  const pool = openDatabase({ url: stack.database_url, name: 'load', statementTimeoutMs: MAX_STATEMENT_MS }, tool);
  started.defer(() => tool.resources.disposeAsync());
  return { stack, pool, folder, isSmoke, account: () => createDemoAccount(stack.account_admin_address) };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A plain GET on connections that are kept; reads the body and does nothing with it. */
export function get(url: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers: { 'x-api-key': key } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        if (status === 200) resolve({ status, headers, body: Buffer.concat(parts) });
        else reject(new Error(`${url} answered ${status}`));
      });
    });
    call.on('error', reject).end();
  });
}

/** Asks until there is an answer: while an account is loaded the deadline of the endpoint may pass. */
export async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch {
      await sleep(100);
    }
  }
}
