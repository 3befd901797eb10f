import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import { Customer } from '../../test/failure/customer.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';
import { steadyNow } from './steady-reads.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

export interface SentImport {
  readonly sentAt: number;
  readonly tookMs: number;
  // 0 without a response.
  readonly status: number;
  // Milliseconds from the response to the end of the import; absent if not accepted or unfinished.
  readonly endedMs?: number | undefined;
}

interface SteadyImports {
  /** Stops sending, waits for accepted imports, and returns all requests. */
  stop(): Promise<SentImport[]>;
}

const CUSTOMERS = 3;
const BREATHER_MS = 500;
const NOBODY_WAITS_LONGER_MS = 30_000;
const ENDED_WITHIN_MS = 60_000;

/**
 * Starts several customers. Each sends snapshots of alternating size, as soon as the previous
 * import has ended.
 */
export async function importSteadily(stack: WholeStack, people = 3): Promise<SteadyImports> {
  const { operator, gatewayUrl, db } = stack;
  const accounts = await Promise.all(Array.from({ length: CUSTOMERS }, () => operator.createAccount({ threshold: '100' })));
  const over = new AbortController();
  const sent = accounts.map((account) => sendUntil(over.signal, { customer: new Customer(account, [gatewayUrl]), db, people }));
  return {
    stop: async () => {
      over.abort();
      return (await Promise.all(sent)).flat();
    },
  };
}

interface Sender {
  readonly customer: Customer;
  readonly db: Pool;
  readonly people: number;
}

async function sendUntil(over: AbortSignal, { customer, db, people }: Sender): Promise<SentImport[]> {
  const sent: SentImport[] = [];
  for (let turn = 0; !over.aborted; turn += 1) {
    const sentAt = steadyNow();
    const answer = await customer.post(
      plainSnapshot(people + (turn % 2)),
      randomUUID(),
      AbortSignal.timeout(NOBODY_WAITS_LONGER_MS),
    );
    const tookMs = steadyNow() - sentAt;
    const endedMs = answer.importUuid === undefined ? undefined : await untilEnded(db, answer.importUuid);
    sent.push({ sentAt, tookMs, status: answer.status, endedMs });
    await sleep(BREATHER_MS);
  }
  return sent;
}

async function untilEnded(db: Pool, importUuid: string): Promise<number | undefined> {
  const startedAt = steadyNow();
  while (steadyNow() < startedAt + ENDED_WITHIN_MS) {
    // PostgreSQL can be unavailable.
    const found = await db
      .query("select from imports.import where import_uuid = $1 and state = 'applied'", [importUuid])
      .catch(() => ({ rowCount: 0 }));
    if (found.rowCount === 1) return steadyNow() - startedAt;
    await sleep(20);
  }
  return undefined;
}
