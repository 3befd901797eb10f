import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSecrets } from '@survey/local/secrets.ts';
import { roleUrl } from '@survey/local/service-environments.ts';
import { Client, Pool } from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { releaseAttributes, withdrawAttribute } from '../support/attributes.ts';
import { survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { createTemplate } from '../global-setup.ts';
import { records } from '../support/records.ts';
import { openScoreFixture, released, suppressed } from '../support/score-fixture.ts';
import { scrape } from '../support/scrape.ts';
import { startReplicatedPostgres } from '../failure/replicated-postgres.ts';

const MAX_LAG_SECONDS = 2;
const closing = new AsyncDisposableStack();
const folder = await mkdtemp(join(inject('postgres').folder, 'replicated-'));
closing.defer(() => rm(folder, { recursive: true, force: true }));
const { superuserPassword, rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
const servers = closing.use(await startReplicatedPostgres(folder, superuserPassword));
const { primary, replica } = servers;
// Runs after the cleanup of the stack, which needs the servers.
afterAll(() => closing.disposeAsync());
const server = { url: primary.url, replicaUrl: replica.url, template: 'survey_template', rolePasswords, folder };
await createTemplate(server);

const lag = { DATABASE_REPLICA_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS) };
const files = await startFileStack({ export: lag, 'scoring-anonymity': lag }, undefined, server);
const { api, operator, db, stack, importAndWait, listEmployees } = files;
const { fixture, state, ask } = await openScoreFixture(files);
const onReplica = new Pool({ connectionString: replica.url, max: 1 });
onReplica.on('error', () => undefined);
closing.defer(() => onReplica.end());

/** Returns the number of replica reads of a service with this result. */
async function reads(service: 'export' | 'scoring-anonymity', found: string): Promise<number> {
  const samples = await scrape(stack.services[service].probeAddress);
  return samples.find(({ name, labels }) => name === 'replica_reads_total' && labels['result'] === found)?.value ?? 0;
}

/** Returns whether the replica serves the next page of the account. */
async function isFromReplica(account: Account): Promise<boolean> {
  const before = await reads('export', 'fresh');
  await listEmployees(account, '?limit=1');
  return (await reads('export', 'fresh')) > before;
}

const untilFromReplica = (account: Account) => expect.poll(() => isFromReplica(account)).toBe(true);
const total = async (account: Account): Promise<number> => (await listEmployees(account, '?limit=0')).total_count;

interface Seen {
  readonly askedAt: number;
  readonly total: number;
}

const totalsOf = (seen: readonly Seen[]): number[] => seen.map(({ total }) => total);

/** Reads pages until stopped. Each must succeed and be no older than the previous one. */
function readOn(account: Account): { readonly seen: readonly Seen[]; stop(): Promise<Seen[]> } {
  const seen: Seen[] = [];
  let isOn = true;
  const reading = (async () => {
    while (isOn) {
      seen.push({ askedAt: performance.now(), total: await total(account) });
      await sleep(5);
    }
  })();
  return {
    seen,
    stop: async () => {
      isOn = false;
      await reading;
      const totals = totalsOf(seen);
      expect(totals).toEqual(totals.toSorted((a, b) => a - b));
      return seen;
    },
  };
}

describe('a streaming replica', () => {
  it('serves pages of an account once it has replayed its last change', async () => {
    const [account, other] = [await operator.createAccount(), await operator.createAccount()];
    await importAndWait(account, records(1, 300));
    await untilFromReplica(account);
    await expect.poll(() => total(account)).toBe(300);
    expect(await total(other)).toBe(0);
  });

  it('returns no rows to a role without an account', async () => {
    const url = roleUrl(new URL(`/${stack.databaseName}`, replica.url).href, 'survey_export', rolePasswords.survey_export);
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select id from imports.employee');
    await client.end();
    expect(rows).toEqual([]);
  });

  it('serves reads up to the maximum lag when it stops replaying, and again after it has caught up', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 10));
    await untilFromReplica(account);
    await onReplica.query('select pg_wal_replay_pause()');
    await expect
      .poll(async () => (await onReplica.query('select pg_get_wal_replay_pause_state() as state')).rows[0])
      .toEqual({ state: 'paused' });
    const reader = readOn(account);
    await importAndWait(account, records(1, 20));
    const appliedAt = performance.now();
    await expect.poll(() => total(account)).toBe(20);
    expect(await reads('export', 'stale')).toBeGreaterThan(0);
    expect(await isFromReplica(account)).toBe(false);
    await onReplica.query('select pg_wal_replay_resume()');
    await untilFromReplica(account);
    const seen = await reader.stop();
    expect(new Set(totalsOf(seen))).toEqual(new Set([10, 20]));
    const late = seen.filter(({ askedAt }) => askedAt >= appliedAt + MAX_LAG_SECONDS * 1_000);
    expect(late.filter(({ total }) => total !== 20)).toEqual([]);
  });

  it.each(['kill', 'pause'] as const)(
    'fails no page, returns no older page, and serves again when it is lost by %s and restarted',
    async (how) => {
      const account = await operator.createAccount();
      await importAndWait(account, records(1, 10));
      await untilFromReplica(account);
      const readers = Array.from({ length: 4 }, () => readOn(account));
      await expect.poll(() => readers.every(({ seen }) => seen.length > 0)).toBe(true);
      await replica[how]();
      await importAndWait(account, records(1, 20));
      await expect.poll(() => total(account)).toBe(20);
      expect(await reads('export', 'unavailable')).toBeGreaterThan(0);
      await (how === 'kill' ? replica.start() : replica.resume());
      await untilFromReplica(account);
      for (const reader of readers) expect(new Set(totalsOf(await reader.stop()))).toEqual(new Set([10, 20]));
    },
  );
});

/**
 * Returns an account of whose question 11 scoring-anonymity holds five answers from the replica. A
 * replica that is late leaves the load to the primary, and nothing loads the account again: each
 * attempt needs an account of its own.
 */
async function loadedFromReplica(): Promise<Account> {
  let account: Account | undefined;
  await expect
    .poll(async () => {
      const before = await reads('scoring-anonymity', 'fresh');
      account = await fixture();
      await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 1] }));
      await ask(account, '11');
      return (await reads('scoring-anonymity', 'fresh')) - before;
    })
    .toBeGreaterThan(0);
  if (account === undefined) throw new Error('expected an account');
  return account;
}

describe('data that must not be stale', () => {
  it('includes every answer and threshold in scores immediately, although answers are loaded from the replica', async () => {
    const account = await loadedFromReplica();
    await onReplica.query('select pg_wal_replay_pause()');
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }, { from: 6, people: [6, 7, 8, 9, 10] }));
    expect(await ask(account, '11')).toMatchObject(released(90, 10));
    await state(account, 'survey', survey(1, { score_threshold: 11 }, 1));
    expect(await ask(account, '11')).toMatchObject(suppressed(10));
    await onReplica.query('select pg_wal_replay_resume()');
  });

  it('excludes a withdrawn attribute immediately', async () => {
    const account = await operator.createAccount();
    await importAndWait(
      account,
      records(1, 1).map((record) => ({ ...record, attributes: [{ name: 'Site', value: { name: 'North' } }] })),
    );
    const { rows } = await db.query<{ id: number }>('select id from imports.attribute where account_id = $1', [
      account.accountId,
    ]);
    const id = Number(rows[0]?.id);
    await releaseAttributes(db, account.accountId, [id]);
    await onReplica.query('select pg_wal_replay_pause()');
    await withdrawAttribute(db, account.accountId, id);
    expect((await api.get('/v1/attributes', account.readKey)).body).toMatchObject({ total_count: 0 });
    expect((await api.get(`/v1/attributes/${id}/options`, account.readKey)).status).toBe(404);
    await onReplica.query('select pg_wal_replay_resume()');
  });
});
