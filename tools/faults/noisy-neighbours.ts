import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTool } from '@survey/bus/connection.ts';
import { FactBatch, type Fact } from '@survey/proto/intake/v1/intake.ts';
import type { Account } from '../../test/support/accounts.ts';
import { medianOf, percentileOf } from '../../test/support/figures.ts';
import { startAttack, type Attack, type RunningAttack } from './attack-load.ts';
import { Customer } from '../../test/failure/customer.ts';
import { none, type Goal } from './goals.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';
import { waitUntilIdle } from '../../test/failure/wait-until-idle.ts';
import { accountWithLargePages } from './slow-clients.ts';
import type { ReadFixture } from './read-fixture.ts';
import { p99Ms, underLoad, type Outage, type Seen, type SeenAround } from './under-load.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const OFFBOARDED = 20_000;
const IMPORTING_ACCOUNTS = 300;
const IDLE_ACCOUNTS = 10_000;
const CREATED_BATCH_SIZE = 16;
const SETTLE_MS = 60_000;
// The gateway rejects requests of slow senders after 10 s.
const SLOWEST_BODY = 200;
const MAX_REJECTED = 0.01;
const MAX_SLOWDOWN = 2;
// Times without and with an attack, in turns: the median of their p99 says more than one of them.
const PAIRS = 3;

/** Measures the effect of one account on others, beside the same run without it. */
interface Attacked {
  readonly stack: WholeStack;
  readonly readable: ReadFixture;
  readonly forMs: number;
}

/** Attacks of one account on the others. */
export async function measureNoisyNeighbours(attacked: Attacked): Promise<Goal[]> {
  return [
    ...(await uploads(attacked)),
    ...(await largePages(attacked)),
    ...(await poisonFacts(attacked)),
    ...(await keyLookups(attacked)),
    ...(await idleAccounts(attacked)),
  ];
}

async function uploads(attacked: Attacked): Promise<Goal[]> {
  const { stack } = attacked;
  const account = await accountWithOffboarded(stack);
  const url = `${stack.gatewayUrl}/v1/employees/imports`;
  const attack = { url, method: 'POST', keys: [account.writeKey], body: '{}' } as const;
  return [
    ...(await besideAttack('1: 56 connections posting {}', { ...attack, connections: 56 }, attacked)),
    ...(await besideAttack('1: 200 slow bodies', { ...attack, connections: SLOWEST_BODY, isSlow: true }, attacked)),
  ];
}

async function largePages(attacked: Attacked): Promise<Goal[]> {
  const { readKey } = await accountWithLargePages(attacked.stack);
  const page = { method: 'GET', keys: [readKey], connections: 48 } as const;
  const url = `${attacked.stack.gatewayUrl}/v1/employees`;
  return [
    ...(await besideAttack('2: 48 connections asking for ?%6Cimit=1000', { ...page, url: `${url}?%6Cimit=1000` }, attacked)),
    ...(await besideAttack('2: 48 connections asking for limit=%31000', { ...page, url: `${url}?limit=%31000` }, attacked)),
  ];
}

async function keyLookups(attacked: Attacked): Promise<Goal[]> {
  const { stack } = attacked;
  const accounts = await createAccounts(stack, IMPORTING_ACCOUNTS);
  const keys = accounts.map(({ writeKey }) => writeKey);
  const body = JSON.stringify({ employees: plainSnapshot(3) });
  const url = `${stack.gatewayUrl}/v1/employees/imports`;
  const what = `4: ${IMPORTING_ACCOUNTS} accounts importing concurrently`;
  return besideAttack(what, { url, method: 'POST', keys, body, connections: IMPORTING_ACCOUNTS }, attacked);
}

/** Compares reads and imports of other accounts during an attack with those before it. */
async function besideAttack(name: string, attack: Attack, { stack, readable, forMs }: Attacked): Promise<Goal[]> {
  let running: RunningAttack | undefined;
  let faults = 0;
  const outage: Outage = {
    name,
    begin: () => {
      running = startAttack(attack);
      return Promise.resolve();
    },
    end: async () => {
      const statuses = (await running?.stop()) ?? {};
      console.log(`${name}: the attacker got ${JSON.stringify(statuses)}`);
      faults += Object.entries(statuses).reduce((sum, [status, count]) => sum + (isFault(Number(status)) ? count : 0), 0);
    },
  };
  const pairs = await inTurn(() => underLoad(stack, readable, outage, { forMs }));
  const goals = goalsOf(
    name,
    pairs.map(({ calm }) => calm),
    pairs.map(({ away }) => away),
  );
  return [...goals, none(`${name}: answers to the attacker that are 5xx and not 503`, faults)];
}

async function inTurn(measure: () => Promise<SeenAround>): Promise<SeenAround[]> {
  const seen: SeenAround[] = [];
  while (seen.length < PAIRS) seen.push(await measure());
  return seen;
}

function goalsOf(name: string, calm: readonly Seen[], attacked: readonly Seen[]): Goal[] {
  const statuses = attacked.flatMap(({ reads, imports }) => [...reads, ...imports]).map(({ status }) => status);
  const rejected = statuses.filter((status) => status === 503).length;
  return [
    slowdown(`${name}: others' p99 of reads`, calm.map(p99Ms), attacked.map(p99Ms)),
    slowdown(`${name}: others' p99 of imports, from request to end`, calm.map(importP99Ms), attacked.map(importP99Ms)),
    none(
      `${name}: other accounts' responses with 5xx other than 503, or none`,
      statuses.filter(isFault).length,
      `of ${statuses.length}`,
    ),
    {
      what: `${name}: other accounts' responses with 503`,
      figure: rejected / statuses.length,
      unit: '',
      target: { atMost: MAX_REJECTED },
      anchor: `${rejected} of ${statuses.length}`,
    },
  ];
}

const isFault = (status: number): boolean => status === 0 || (status >= 500 && status !== 503);

const slowdown = (what: string, before: readonly number[], during: readonly number[]): Goal => ({
  what,
  figure: medianOf(during) / medianOf(before),
  unit: 'x',
  target: { atMost: MAX_SLOWDOWN },
  anchor: `${before.map((ms) => Math.round(ms)).join(', ')} ms before`,
});

const importP99Ms = ({ imports }: Seen): number =>
  percentileOf(
    imports.map(({ tookMs, endedMs = Infinity }) => tookMs + endedMs),
    99,
  );

/**
 * Facts too large for an index, and many messages of one fact, must not delay facts of other
 * accounts.
 */
async function poisonFacts(attacked: Attacked): Promise<Goal[]> {
  const { stack, forMs } = attacked;
  const [attacker, victim] = await Promise.all([stack.operator.createAccount(), stack.operator.createAccount()]);
  await using connection = await connectTool(stack.nats.url, 'faults');
  const publish = (accountId: number, facts: readonly Fact[], source = 'faults'): Promise<unknown> => {
    const batch = FactBatch.encode({ account_id: accountId, source, facts: [...facts] }).finish();
    return connection.bus.request(`intake.employee.${accountId}`, batch, { timeout: 10_000 });
  };
  let id = 0;
  const delays = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const end = performance.now() + forMs; performance.now() < end;) {
      id += 1;
      await publish(victim.accountId, [employeeFact(id)]);
      found.push(await untilListed(stack, victim, id));
    }
    return found;
  };
  const calm = await delays();
  // The schema finds the long import_id; only an index row finds the source of its dead letter.
  for (let n = 1; n <= 1_010; n += 1)
    await publish(attacker.accountId, [employeeFact(n, randomText(3_000)), employeeFact(n + 10_000)], randomText(3_000));
  const poisoned = await delays();
  for (let n = 1; n <= 3_031; n += 1) await publish(attacker.accountId, [employeeFact(n + 100_000)]);
  const crowded = await delays();
  const p99 = (values: readonly number[]): number => percentileOf(values, 99);
  return [
    slowdown("3: 1,010 poison facts: p99 of others' facts, until they are listed", [p99(calm)], [p99(poisoned)]),
    slowdown("3: 3,031 messages of one fact: p99 of others' facts, until they are listed", [p99(calm)], [p99(crowded)]),
  ];
}

function employeeFact(id: number, import_id?: string): Fact {
  const employee = { id, email: `p${id}@x.io`, is_deleted: false, created_via: 'app', attributes: [] };
  return { revision: id, line: id, employee: { ...employee, ...(import_id !== undefined && { import_id }) } };
}

// CJK characters, which do not compress.
const randomText = (length: number): string =>
  Array.from({ length }, () => String.fromCodePoint(randomInt(0x4e00, 0x9fff))).join('');

async function untilListed({ gatewayUrl }: WholeStack, { readKey }: Account, count: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < SETTLE_MS) {
    const response = await fetch(`${gatewayUrl}/v1/employees?limit=0`, { headers: { 'x-api-key': readKey } });
    const { total_count }: { total_count?: number } = JSON.parse(await response.text());
    if (total_count === count) break;
    await sleep(20);
  }
  return performance.now() - startedAt;
}

/** Measures the effect of idle accounts on others and on PostgreSQL. */
async function idleAccounts({ stack, readable, forMs }: Attacked): Promise<Goal[]> {
  const name = `6: ${IDLE_ACCOUNTS} idle accounts`;
  const nothing: Outage = { name, begin: () => Promise.resolve(), end: () => Promise.resolve() };
  // Reads run before and after the accounts are created, not during it.
  const measure = (): Promise<SeenAround[]> => inTurn(() => underLoad(stack, readable, nothing, { forMs }));
  const before = await measure();
  await createAccounts(stack, IDLE_ACCOUNTS);
  const after = await measure();
  await sleep(SETTLE_MS / 6);
  return [
    ...goalsOf(
      name,
      before.map(({ away }) => away),
      after.map(({ away }) => away),
    ),
    {
      what: `${name}: transactions of all services while idle`,
      figure: await transactionsPerSecond(stack, forMs),
      unit: '/s',
      target: { atMost: 5 },
      anchor: 'pg_stat_database',
    },
  ];
}

async function transactionsPerSecond({ db }: WholeStack, forMs: number): Promise<number> {
  const count = async (): Promise<number> => {
    const text = 'select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()';
    const { rows } = await db.query<{ count: number }>(text);
    return rows[0]?.count ?? 0;
  };
  const before = await count();
  await sleep(forMs);
  return ((await count()) - before) / (forMs / 1_000);
}

async function createAccounts({ operator }: WholeStack, count: number): Promise<Account[]> {
  const accounts: Account[] = [];
  const creator = async (): Promise<void> => {
    while (accounts.length < count) accounts.push(await operator.createAccount({ threshold: '100' }));
  };
  await Promise.all(Array.from({ length: CREATED_BATCH_SIZE }, creator));
  return accounts;
}

async function accountWithOffboarded({ operator, gatewayUrl, db }: WholeStack): Promise<Account> {
  const account = await operator.createAccount({ threshold: '100' });
  const customer = new Customer(account, [gatewayUrl], SETTLE_MS);
  for (const people of [OFFBOARDED, 1]) {
    await customer.deliver(plainSnapshot(people));
    await waitUntilIdle(db, [account.accountId], SETTLE_MS);
  }
  return account;
}
