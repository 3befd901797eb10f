import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Account } from '../../test/support/accounts.ts';
import { open } from '../../test/support/raw-http.ts';
import { Customer } from '../../test/failure/customer.ts';
import { none, type Goal } from './goals.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';
import { waitUntilIdle } from '../../test/failure/wait-until-idle.ts';
import type { ReadFixture } from './read-fixture.ts';
import { p99Ms, rejected, underLoad } from './under-load.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const SLOW_SENDERS = 1_000;
const NOT_READING = 200;
const ACCOUNTS = 5;
const CLOSED_WITHIN_MS = 10_000;
const ATTRIBUTES = Array.from({ length: 60 }, (_, n) => ({ name: `Attribute ${n}`, value: { name: 'v'.repeat(40) } }));
const TIMEOUT_MS = 30_000;
const FOR_MS = 15_000;

/** 1,000 clients that send headers slowly and 200 that do not read, beside normal clients. */
export async function crowd(stack: WholeStack, readable: ReadFixture, logFolder: string): Promise<Goal[]> {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => accountWithLargePages(stack)));
  const closed: Promise<number>[] = [];
  const readers: AsyncDisposable[] = [];
  const begin = (): Promise<void> => {
    for (let n = 0; n < SLOW_SENDERS; n += 1) closed.push(sendSlowly(stack.gatewayUrl));
    for (let n = 0; n < NOT_READING; n += 1) readers.push(askAndLeave(stack.gatewayUrl, accounts[n % ACCOUNTS]));
    return Promise.resolve();
  };
  const end = async (): Promise<void> => {
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  };
  const { calm, away } = await underLoad(stack, readable, { name: 'slow clients', begin, end }, { forMs: FOR_MS });
  const cut = await cutOffs(logFolder);
  const [before, beside] = [p99Ms(calm), p99Ms(away)];
  const what = `${SLOW_SENDERS} clients that send headers slowly, ${NOT_READING} that do not read`;
  return [
    longest(`${what}: longest time until a slow sender is disconnected`, await Promise.all(closed), CLOSED_WITHIN_MS),
    longest(`${what}: longest time until an unread response is aborted`, cut, CLOSED_WITHIN_MS),
    {
      what: `${what}: others' p99`,
      figure: beside / before,
      unit: 'x',
      target: { atMost: 2 },
      anchor: `${Math.round(before)} ms before`,
    },
    none(
      `${what}: other clients' reads other than 200`,
      rejected(away).length,
      `of ${away.reads.length}; ${rejected(calm).length} of ${calm.reads.length} before`,
    ),
  ];
}

const longest = (what: string, values: readonly number[], atMost: number): Goal => ({
  what,
  figure: Math.round(Math.max(...values)),
  unit: 'ms',
  target: { atMost },
  anchor: `${values.length} of them`,
});

/** Creates an account whose pages of 1,000 employees have several MiB. */
export async function accountWithLargePages({ operator, gatewayUrl, db }: WholeStack): Promise<Account> {
  const account = await operator.createAccount({ threshold: '100' });
  const people = plainSnapshot(1_000).map((person) => ({ ...person, attributes: ATTRIBUTES }));
  await new Customer(account, [gatewayUrl], TIMEOUT_MS).deliver(people);
  await waitUntilIdle(db, [account.accountId], TIMEOUT_MS);
  return account;
}

/** Returns the milliseconds until the gateway closes a connection with slow headers. */
function sendSlowly(url: string): Promise<number> {
  const socket = open(new URL(url).host).resume();
  const startedAt = performance.now();
  socket.write('GET /v1/employees HTTP/1.1\r\nX-Slow: ');
  const byte = setInterval(() => socket.writable && socket.write('x'), 1_000);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(byte);
      resolve(performance.now() - startedAt);
    });
  });
}

function askAndLeave(url: string, account: Account | undefined): AsyncDisposable {
  const socket = open(new URL(url).host).pause();
  socket.write(`GET /v1/employees?limit=1000 HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${account?.readKey}\r\n\r\n`);
  return {
    [Symbol.asyncDispose]: () => {
      socket.destroy();
      return Promise.resolve();
    },
  };
}

const line = z.object({ cut_off: z.literal(true), duration_ms: z.number() });
const LOGGED_MS = 1_000;

// Durations of aborted responses from the log of the gateway, because these clients do not read.
async function cutOffs(logFolder: string): Promise<number[]> {
  await sleep(LOGGED_MS);
  const log = await readFile(join(logFolder, 'gateway.log'), 'utf8');
  return log.split('\n').flatMap((text) => {
    const read = text.includes('"cut_off":true') ? line.safeParse(JSON.parse(text)).data : undefined;
    return read === undefined ? [] : [read.duration_ms];
  });
}
