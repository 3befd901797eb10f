import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import { Customer } from './customer.ts';
import { manyPeople } from './many-people.ts';
import { steadyNow } from './steady-reads.ts';
import type { WholeStack } from './whole-stack.ts';

export interface SentImport {
  readonly sentAt: number;
  readonly tookMs: number;
  // 0 when no answer came.
  readonly status: number;
  // From the answer to the import's end; absent for what was not accepted, or never ended.
  readonly endedMs?: number | undefined;
}

interface SteadyImports {
  /** Sends no more, waits for what was accepted, and answers with all of it. */
  stop(): Promise<SentImport[]>;
}

const CUSTOMERS = 3;
const BREATHER_MS = 500;
const NOBODY_WAITS_LONGER_MS = 30_000;
const ENDED_WITHIN_MS = 60_000;

/** Several customers, each of whom sends a snapshot of so many people, and of one more by turns, again and again, as soon as the one before has ended. */
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
      manyPeople(people + (turn % 2)),
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
    // PostgreSQL may be away itself.
    const found = await db
      .query("select from imports.import where import_uuid = $1 and state = 'applied'", [importUuid])
      .catch(() => ({ rowCount: 0 }));
    if (found.rowCount === 1) return steadyNow() - startedAt;
    await sleep(20);
  }
  return undefined;
}
