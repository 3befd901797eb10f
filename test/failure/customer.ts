import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../support/accounts.ts';
import type { SentRecord } from '../support/import/organisation.ts';
import type { FaultyStack } from './faulty-stack.ts';

const PATIENCE_MS = 2_500;
const GIVE_UP_MS = 45_000;

interface CustomerAnswer {
  // 0 when no answer came.
  readonly status: number;
  readonly importUuid: string | undefined;
}

/** Who sends snapshots for one account, each under a key of its own, and remembers what was promised. */
export class Customer {
  // By Idempotency-Key.
  readonly sent = new Map<string, readonly SentRecord[]>();
  // The import_uuids of every 202.
  readonly promised = new Set<string>();
  readonly account: Account;
  readonly #urls: readonly string[];
  readonly #patienceMs: number;
  #turn = 0;

  constructor(account: Account, urls: readonly string[], patienceMs = PATIENCE_MS) {
    this.account = account;
    this.#urls = urls;
    this.#patienceMs = patienceMs;
  }

  /** Sends a snapshot again and again, at every gateway in turn, until it is accepted. Answers with the import_uuid. */
  async deliver(snapshot: readonly SentRecord[], mayBeRunning = true): Promise<string> {
    const key = randomUUID();
    const deadline = Date.now() + GIVE_UP_MS;
    while (Date.now() < deadline) {
      const { status, importUuid } = await this.post(snapshot, key, AbortSignal.timeout(this.#patienceMs));
      if (importUuid !== undefined) return importUuid;
      if (status === 409 && !mayBeRunning) throw new Error('the place of an import that has ended is not free');
      await sleep(50);
    }
    throw new Error(`account ${this.account.accountId}: nobody accepts a snapshot`);
  }

  /** The same when no import runs: nobody may say that one does. */
  deliverAtOnce(snapshot: readonly SentRecord[]): Promise<string> {
    return this.deliver(snapshot, false);
  }

  /** Sends a snapshot once, and waits for the answer until it gives up. */
  async post(snapshot: readonly SentRecord[], key: string, givesUp: AbortSignal): Promise<CustomerAnswer> {
    this.sent.set(key, snapshot);
    const url = this.#urls[this.#turn++ % this.#urls.length];
    const headers = { 'content-type': 'application/json', 'x-api-key': this.account.writeKey, 'idempotency-key': key };
    try {
      const body = JSON.stringify({ employees: snapshot });
      const response = await fetch(`${url}/v1/employees/imports`, { method: 'POST', headers, body, signal: givesUp });
      const answer: { import_uuid?: string } = JSON.parse(await response.text());
      if (response.status === 202 && answer.import_uuid !== undefined) this.promised.add(answer.import_uuid);
      return { status: response.status, importUuid: answer.import_uuid };
    } catch {
      return { status: 0, importUuid: undefined };
    }
  }
}

export async function newCustomer({ operator, gatewayUrls }: FaultyStack): Promise<Customer> {
  return new Customer(await operator.createAccount({ threshold: '100', defaultLanguage: 'de' }), gatewayUrls);
}
