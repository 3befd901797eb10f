import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { connectUpstream, type Upstream } from '@survey/rpc/upstream.ts';
import type { Account } from '../../support/accounts.ts';
import { arrangeRespondents } from '../../support/employees.ts';
import { Customer } from '../customer.ts';
import type { WholeStack } from '../whole-stack.ts';
import { judge, type Freshness, type Read, type Write } from './judge.ts';
import {
  ANSWERS,
  answerOfVersion,
  EMPLOYEES,
  employeesPage,
  factsBefore,
  maskedTextsPage,
  RESPONDENTS,
  scorePages,
  snapshotOf,
  textsPage,
  type Page,
} from './pages.ts';

/** A gateway to read from. */
export interface Route {
  readonly name: string;
  readonly url: string;
  // Of lists of employees, which a replica may serve.
  readonly employees: Freshness;
}

interface HistoriesOptions {
  readonly routes: readonly Route[];
  // Time in which every gateway rejects a revoked key.
  readonly revokedWithinMs: number;
}

/** Writers and readers that run until they are stopped. */
export interface Histories extends AsyncDisposable {
  /** Returns the anomalies so far. */
  anomalies(): string[];
  /** Returns the requests that had another status than the expected one, with it and the body. */
  rejected(): string[];
  counts(): Readonly<Record<string, number>>;
  /**
   * Waits until every register but those of keys has this many new complete versions.
   * @throws after five minutes
   */
  progress(versions: number): Promise<void>;
}

export const CURRENT: Freshness = { afterWriteMs: 0, afterReadMs: 0 };

const BETWEEN_READS_MS = 15;
const BETWEEN_WRITES_MS = 50;
const BETWEEN_KEYS_MS = 500;
const READ_TIMEOUT_MS = 30_000;
const IMPORT_TIMEOUT_MS = 15_000;
const APPLIED_WITHIN_MS = 3_000;
const COMPLETE_WITHIN_MS = 300_000;
const WAIT_MS = 60_000;
// Readers go on for this long after a key must be rejected.
const SPARE_MS = 1_000;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

/**
 * Starts writers of imports, answers and keys, and readers of each gateway. Every response is
 * recorded with the version that it shows, and judge.ts compares them.
 */
export async function startHistories(stack: WholeStack, options: HistoriesOptions): Promise<Histories> {
  const run = new Run(stack, options);
  await run.prepare();
  run.start();
  return run;
}

type Written = Write & { endedAt?: number };

class Run implements Histories {
  readonly #stack: WholeStack;
  readonly #options: HistoriesOptions;
  readonly #over = new AbortController();
  readonly #reads: Read[] = [];
  readonly #writes: Written[] = [];
  readonly #rejected: string[] = [];
  readonly #loops: Promise<void>[] = [];
  #bus: NatsConnection | undefined;
  #texts: Upstream<TopicServiceDefinition> | undefined;
  #imported: Account | undefined;
  #plain: Account | undefined;
  #masked: Account | undefined;

  constructor(stack: WholeStack, options: HistoriesOptions) {
    this.#stack = stack;
    this.#options = options;
  }

  anomalies(): string[] {
    return judge({ writes: this.#writes, reads: this.#reads });
  }

  rejected(): string[] {
    return [...this.#rejected];
  }

  counts(): Record<string, number> {
    const written = this.#writes.filter(({ endedAt }) => endedAt !== undefined);
    const kinds = Map.groupBy(written, ({ register }) => register.split(' ')[0] ?? '');
    return { reads: this.#reads.length, ...Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length])) };
  }

  async progress(versions: number): Promise<void> {
    const before = this.counts();
    const isDone = (): boolean => {
      const now = this.counts();
      return ['employees', 'scores', 'texts', 'masked'].every((kind) => (now[kind] ?? 0) >= (before[kind] ?? 0) + versions);
    };
    const deadline = performance.now() + COMPLETE_WITHIN_MS;
    while (!isDone()) {
      if (performance.now() > deadline)
        throw new Error(`cannot write ${versions} versions: ${JSON.stringify(before)} became ${JSON.stringify(this.counts())}`);
      await sleep(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
    await this.#bus?.close();
    this.#texts?.[Symbol.dispose]();
  }

  async prepare(): Promise<void> {
    const { operator, db, nats } = this.#stack;
    this.#bus = await connect({ ...readBusUrl(nats.url), maxReconnectAttempts: -1, reconnectTimeWait: 200 });
    this.#texts = connectUpstream(TopicServiceDefinition, this.#stack.accountAdminAddress, toolOf('test'));
    this.#imported = await operator.createAccount({ threshold: '100' });
    this.#plain = await operator.createAccount();
    this.#masked = await operator.createAccount();
    const settings = { masking: true, masking_entitled: true, masking_categories: null };
    await operator.admin.setSettings({ account_id: this.#masked.accountId, ...settings }, AS_OPERATOR);
    for (const account of [this.#plain, this.#masked]) {
      const ids = Array.from({ length: RESPONDENTS }, (_, index) => index + 1);
      await arrangeRespondents(db, account.accountId, ids);
      for (const [kind, fact] of factsBefore()) await this.#publish(account, kind, fact);
    }
    // Facts of different kinds are applied in any order, so no history has the first ones.
    const tables = [
      [this.#plain, 'scoring.survey', 1],
      [this.#plain, 'scoring.question', 2],
      [this.#plain, 'scoring.response', ANSWERS],
      [this.#plain, 'text.response', ANSWERS],
      [this.#masked, 'text.masked_text', ANSWERS],
    ] as const;
    for (const [account, table, rows] of tables)
      if (!(await this.#until(() => this.#isIn(account, table, rows))))
        throw new Error(`cannot prepare: ${table} does not have the first facts`);
  }

  start(): void {
    const [imported, plain, masked] = [this.#imported, this.#plain, this.#masked];
    if (imported === undefined || plain === undefined || masked === undefined) throw new Error('cannot start: not prepared');
    const random = (below: number): number => Math.floor(Math.random() * below);
    const score = scorePages();
    this.#repeat(BETWEEN_WRITES_MS, (version) => this.#import(imported, version));
    this.#repeat(BETWEEN_WRITES_MS, (version) =>
      this.#answer(plain, version, { scores: 'scoring.response', texts: 'text.response' }),
    );
    this.#repeat(BETWEEN_WRITES_MS, (version) => this.#answer(masked, version, { masked: 'text.masked_text' }));
    this.#repeat(BETWEEN_KEYS_MS, (version) => this.#key(imported, version));
    for (const { name, url, employees } of this.#options.routes) {
      const reader = (register: string, { readKey }: Account, freshness: Freshness, page: () => Page): void =>
        this.#repeat(BETWEEN_READS_MS, () =>
          this.#read({ register, reader: `reader of ${name}`, url, key: readKey, freshness }, page()),
        );
      reader('employees', imported, employees, () => employeesPage(random(EMPLOYEES), 50));
      reader('employees', imported, employees, () => employeesPage(0, 100));
      reader('scores', plain, CURRENT, score);
      reader('texts', plain, CURRENT, () => textsPage(random(ANSWERS), 100));
      reader('masked', masked, CURRENT, () => maskedTextsPage(0, 1_000));
    }
  }

  // Runs until the end, with the number of the turn.
  #repeat(pauseMs: number, work: (turn: number) => Promise<void>): void {
    this.#loops.push(
      (async () => {
        for (let turn = 1; !this.#over.signal.aborted; turn += 1) {
          await work(turn);
          await sleep(pauseMs);
        }
      })(),
    );
  }

  async #import(account: Account, version: number): Promise<void> {
    const written = this.#begin('employees', version);
    const customer = new Customer(account, [...new Set(this.#options.routes.map(({ url }) => url))], IMPORT_TIMEOUT_MS);
    const isApplied = async (importUuid: string): Promise<boolean> => {
      const state = 'select state from imports.import where account_id = $1 and import_uuid = $2 and finished_at is not null';
      const { rows } = await this.#stack.db.query<{ state: string }>(state, [account.accountId, importUuid]);
      if (rows[0] !== undefined && rows[0].state !== 'applied') throw new Error(`import ${importUuid} is ${rows[0].state}`);
      return rows[0] !== undefined;
    };
    while (written.endedAt === undefined && !this.#over.signal.aborted) {
      const importUuid = await customer.deliver(snapshotOf(version)).catch(() => undefined);
      if (importUuid !== undefined && (await this.#until(() => isApplied(importUuid)))) written.endedAt = performance.now();
    }
  }

  // Each service applies a fact by itself, so scores and texts are two registers.
  async #answer(account: Account, version: number, appliedIn: Readonly<Record<string, string>>): Promise<void> {
    const fact = answerOfVersion(version);
    const writes = Object.entries(appliedIn).map(([register, table]) => ({ written: this.#begin(register, version), table }));
    // Published again until it is applied, because a test may take the stream away.
    const write = async ({ written, table }: (typeof writes)[number]): Promise<void> => {
      while (written.endedAt === undefined && !this.#over.signal.aborted) {
        if (await this.#until(() => this.#isIn(account, table, ANSWERS + version), APPLIED_WITHIN_MS))
          written.endedAt = performance.now();
        else await Promise.all([this.#publish(account, 'response', fact), this.#retryTexts(account)]);
      }
    };
    await this.#publish(account, 'response', fact);
    await Promise.all(writes.map(write));
  }

  // Operators retry a text that was given up because two attempts at it were killed.
  async #retryTexts({ accountId }: Account): Promise<void> {
    const call = { ...AS_OPERATOR, caller: { ...AS_OPERATOR.caller, accountId } };
    await this.#texts?.retryText({ stage: 'mask' }, call).catch(() => undefined);
  }

  // Each key is used at each gateway, then revoked, and must be rejected by each.
  async #key({ accountId: account_id }: Account, turn: number): Promise<void> {
    const { admin } = this.#stack.operator;
    const created = await admin.createKey({ account_id, scope: 'read' }, AS_OPERATOR).catch(() => undefined);
    if (created === undefined) return;
    const { key, key_id } = created;
    const registers = this.#options.routes.map((route) => ({ ...route, register: `key ${turn} at ${route.name}` }));
    const freshness = { afterWriteMs: this.#options.revokedWithinMs };
    const readEach = (): Promise<unknown> =>
      Promise.all(
        registers.map(({ register, url, name }) =>
          this.#read(
            { register, reader: `reader of ${name}`, url, key, freshness: { ...freshness, afterReadMs: undefined } },
            { path: '/v1/attributes?limit=1', read: () => ({ version: 0 }) },
            1,
          ),
        ),
      );
    await readEach();
    const written = registers.map(({ register }) => this.#begin(register, 1));
    const revoked = await this.#until(() => admin.revokeKey({ account_id, key_id }, AS_OPERATOR).then(() => true));
    if (revoked) for (const one of written) one.endedAt = performance.now();
    const endsAt = performance.now() + this.#options.revokedWithinMs + SPARE_MS;
    while (performance.now() < endsAt && !this.#over.signal.aborted) {
      await readEach();
      await sleep(100);
    }
  }

  #begin(register: string, version: number): Written {
    const written: Written = { register, version, beganAt: performance.now() };
    this.#writes.push(written);
    return written;
  }

  // A response with 401 shows `rejectedIs`, for keys.
  async #read(
    from: Omit<Read, 'sentAt' | 'receivedAt' | 'version'> & { url: string; key: string },
    page: Page,
    rejectedIs?: number,
  ) {
    const { url, key, ...read } = from;
    const sentAt = performance.now();
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      const response = await fetch(`${url}${page.path}`, { headers: { 'x-api-key': key }, signal });
      const body: unknown = await response.json();
      const receivedAt = performance.now();
      if (response.status === 401 && rejectedIs !== undefined)
        this.#reads.push({ ...read, sentAt, receivedAt, version: rejectedIs });
      else if (response.status === 200) this.#reads.push({ ...read, sentAt, receivedAt, ...page.read(body) });
      else this.#rejected.push(`${response.status} ${page.path} ${JSON.stringify(body)}`);
    } catch (error) {
      this.#rejected.push(`${error instanceof Error ? error.name : 'error'} ${page.path}`);
    }
  }

  async #publish({ accountId }: Account, kind: FactKind, fact: Fact): Promise<void> {
    if (this.#bus === undefined) throw new Error('cannot publish: not connected');
    const publisher = new FactPublisher(this.#bus, { accountId, source: randomUUID() });
    await publisher.add(kind, fact);
    await publisher.flush().catch(() => undefined);
  }

  async #isIn({ accountId }: Account, table: string, rows: number): Promise<boolean> {
    const count = `select count(*)::int as count from ${table} where account_id = $1`;
    const found = await this.#stack.db.query<{ count: number }>(count, [accountId]);
    return (found.rows[0]?.count ?? 0) >= rows;
  }

  // Resolves with false after the limit or at the end of the run. The database may be away.
  async #until(condition: () => Promise<boolean>, limitMs = WAIT_MS): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline && !this.#over.signal.aborted) {
      if (await condition().catch(() => false)) return true;
      await sleep(10);
    }
    return false;
  }
}
