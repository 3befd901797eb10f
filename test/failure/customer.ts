import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../support/accounts.ts';
import type { SentRecord } from '../support/import/organisation.ts';
import type { FaultyStack } from './faulty-stack.ts';

const TIMEOUT_MS = 2_500;
const GIVE_UP_MS = 45_000;

export interface CustomerResponse {
  // 0 without a response.
  readonly status: number;
  readonly importUuid: string | undefined;
}

/** A client that sends snapshots of one account with unique keys and records accepted imports. */
export class Customer {
  // By Idempotency-Key.
  readonly sent = new Map<string, readonly SentRecord[]>();
  // The import_uuid of every 202 response.
  readonly promised = new Set<string>();
  readonly account: Account;
  readonly #urls: readonly string[];
  readonly #timeoutMs: number;
  #turn = 0;

  constructor(account: Account, urls: readonly string[], timeoutMs = TIMEOUT_MS) {
    this.account = account;
    this.#urls = urls;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a snapshot to all gateways in rotation until it is accepted. Returns the import_uuid. */
  async deliver(snapshot: readonly SentRecord[], mayBeRunning = true): Promise<string> {
    const key = randomUUID();
    const deadline = Date.now() + GIVE_UP_MS;
    while (Date.now() < deadline) {
      const { status, importUuid } = await this.post(snapshot, key, AbortSignal.timeout(this.#timeoutMs));
      if (importUuid !== undefined) return importUuid;
      if (status === 409 && !mayBeRunning) throw new Error('cannot import: 409 although the previous import has ended');
      await sleep(50);
    }
    throw new Error(`account ${this.account.accountId}: no gateway accepts a snapshot`);
  }

  /** As `deliver`, when no import is running; 409 is then an error. */
  deliverAtOnce(snapshot: readonly SentRecord[]): Promise<string> {
    return this.deliver(snapshot, false);
  }

  /** Sends a snapshot once and waits for the response up to a timeout. */
  async post(snapshot: readonly SentRecord[], key: string, disconnected: AbortSignal): Promise<CustomerResponse> {
    this.sent.set(key, snapshot);
    const url = this.#urls[this.#turn++ % this.#urls.length];
    const headers = { 'content-type': 'application/json', 'x-api-key': this.account.writeKey, 'idempotency-key': key };
    try {
      const body = JSON.stringify({ employees: snapshot });
      const response = await fetch(`${url}/v1/employees/imports`, { method: 'POST', headers, body, signal: disconnected });
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
