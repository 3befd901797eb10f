import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSecrets } from '@survey/local/secrets.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { createTemplate } from '../global-setup.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';
import { startFaultyPostgres } from '../failure/faulty-store.ts';

const ACCOUNTS = 10_000;
const WINDOW_MS = 20_000;
const COUNTED = { fsync: 'off', autovacuum: 'off', max_connections: '200', shared_preload_libraries: 'pg_stat_statements' };

const closing = new AsyncDisposableStack();
const folder = await mkdtemp(join(inject('postgres').folder, 'at-rest-'));
closing.defer(() => rm(folder, { recursive: true, force: true }));
const { superuserPassword, rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
const { url } = closing.use(await startFaultyPostgres(folder, COUNTED, superuserPassword));
// Runs after the cleanup of the stack, which needs the server.
afterAll(() => closing.disposeAsync());
const server = { url, template: 'survey_template', rolePasswords, folder };
await createTemplate(server);
const files = await startFileStack({}, undefined, server);
const { db } = files;
const { fixture, people, state, settings } = await openTextFixture(files);

const pendingWork = async (): Promise<object[]> => {
  const { rows } = await db.query<object>(
    `select stage from text.pending union all select kind from text.due where kind <> 'dispatch' union all select kind from scoring.due`,
  );
  return rows;
};

it('sends at most 5 statements per second, using 1 % of a core, with 10,000 idle accounts', { timeout: 300_000 }, async () => {
  const account = await fixture();
  const { accountId } = account;
  await people(account, [[1], [1], [1]]);
  await settings(account, { masking_entitled: true, masking: true, categorisation: true });
  await state(account, 'response', ...textResponses(3));
  await expect.poll(pendingWork, { timeout: 60_000 }).toEqual([]);
  await db.query(`insert into admin.account (name) select 'idle' from generate_series(1, $1::integer)`, [ACCOUNTS]);
  for (const table of ['admin.settings', 'text.account_state', 'text.backfill', 'scoring.account_state']) {
    const { rows } = await db.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'account_id'`,
      [table],
    );
    const columns = rows[0]?.columns;
    await db.query(
      `insert into ${table} (account_id, ${columns}) select a.account_id, ${columns} from ${table} one, admin.account a
       where one.account_id = $1::bigint and a.account_id > $1::bigint`,
      [accountId],
    );
  }
  await db.query('create extension pg_stat_statements');
  // Until each consumer has stored its position after the facts above, which it does every 10 s.
  await sleep(11_000);
  await db.query('select pg_stat_statements_reset()');
  const startedAt = performance.now();
  while (performance.now() - startedAt < WINDOW_MS) await sleep(100);
  const { rows } = await db.query<{ query: string; calls: string; ms: number }>(
    `select query, calls, total_exec_time as ms from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where r.rolname like 'survey\\_%' order by calls desc`,
  );
  const calls = rows.reduce((sum, row) => sum + Number(row.calls), 0);
  const ms = rows.reduce((sum, row) => sum + row.ms, 0);
  const perSecond = (count: number): string => (count / (WINDOW_MS / 1_000)).toFixed(2);
  console.log(
    rows.map((row) => `${perSecond(Number(row.calls))}/s ${row.ms.toFixed(1)} ms ${row.query.slice(0, 90)}`).join('\n'),
  );
  expect(calls / (WINDOW_MS / 1_000)).toBeLessThanOrEqual(5);
  expect(ms / WINDOW_MS).toBeLessThan(0.01);
});
