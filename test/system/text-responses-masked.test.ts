import type { Pool, PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { eventsOf } from '../support/events.ts';
import { survey } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse, textResponses } from '../support/text-fixture.ts';
import { connectTool } from '@survey/bus/connection.ts';
import { TextEvent } from '@survey/proto/events/v1/events.ts';

const files = await shareStack();
const { db, stack } = files;
const { fixture, state, read, texts, settings } = await openTextFixture(files);

const EMPTY = { total_count: 0, responses: [] };
const ON = { masking_entitled: true, masking: true };
const written = (n: number): string => `Write to person${n}@example.com about the canteen`;
const MASKED = 'Write to [EMAIL] about the canteen';
const wrote = (n: number) => textResponse({ n, texts: { 15: written(n) } });

// Locks the account's answers against ingestion and masking.
async function holdingAccount(account: Account, work: () => Promise<void>): Promise<void> {
  const client: PoolClient = await db.connect();
  try {
    await client.query('begin');
    await client.query('select from text.account_state where account_id = $1 for update', [account.accountId]);
    await work();
  } finally {
    await client.query('commit');
    client.release();
  }
}

function countOf(pool: Pool, table: string, { accountId }: Account): Promise<number> {
  return pool
    .query<{ count: string }>(`select count(*) from text.${table} where account_id = $1`, [accountId])
    .then(({ rows }) => Number(rows[0]?.count));
}

describe('200', () => {
  it('answers disappear when masking is switched on, and come back masked [TEXTS-MASKING-2]', async () => {
    const account = await fixture();
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    expect(await texts(account)).toEqual([1, 2, 3].map(written));
    await holdingAccount(account, async () => {
      await settings(account, ON);
      expect(await read(account)).toEqual(EMPTY);
    });
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    await state(account, 'response', wrote(4));
    await expect.poll(() => read(account)).toMatchObject({ total_count: 4 });
  });

  it('three people, one of whose answers is not masked: nothing yet [TEXTS-MASKING-2]', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await expect.poll(() => read(account)).toMatchObject({ total_count: 3 });
    await db.query('update text.masked_text set policy = 1 where account_id = $1 and answer = 0', [account.accountId]);
    await db.query('update text.masked_text set sequence = sequence + 1 where account_id = $1', [account.accountId]);
    await db.query('update text.account_state set sequence = sequence + 1 where account_id = $1', [account.accountId]);
    expect(await read(account)).toEqual(EMPTY);
  });

  it('without the entitlement it is as off; when the entitlement lapses, nothing is released until an operator decides [TEXTS-MASKING-3, TEXTS-MASKING-4]', async () => {
    const account = await fixture();
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await settings(account, { masking: true });
    expect(await texts(account)).toEqual([1, 2, 3].map(written));
    await settings(account, { masking_entitled: true });
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    await settings(account, { masking_entitled: false });
    await state(account, 'response', textResponse({ n: 4, texts: { 15: 'imported' }, imported: true }));
    expect(await read(account)).toEqual(EMPTY);
    await settings(account, { masking: false });
    expect(await texts(account)).toEqual([...[1, 2, 3].map(written), 'imported'].sort());
  });

  it('imported answers are never masked [TEXTS-MASKING-1]', async () => {
    const account = await fixture();
    await settings(account, ON);
    const imported = [1, 2, 3].map((n) => textResponse({ n, texts: { 15: written(n) }, imported: true }));
    await state(account, 'response', ...imported);
    expect(await texts(account)).toEqual([1, 2, 3].map(written));
    await expect.poll(() => countOf(db, 'backfill', account)).toBe(3);
    expect(await countOf(db, 'masked_text', account)).toBe(0);
  });

  it('other categories withhold what was masked by the ones before, until it is masked by them', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    await holdingAccount(account, async () => {
      await settings(account, { masking_categories: ['phone'] });
      expect(await read(account)).toEqual(EMPTY);
    });
    await expect.poll(() => texts(account)).toEqual([1, 2, 3].map(written));
  });

  // Masks, retries and failures of another masking policy, as an external masker left them.
  it('what waited for a masker of an earlier release is masked by this one before it is released [TEXTS-MASKING-2]', async () => {
    const account = await fixture();
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await expect.poll(() => countOf(db, 'answer', account)).toBe(3);
    const run = (sql: string) => db.query(sql, [account.accountId]);
    await holdingAccount(account, async () => {
      await settings(account, ON);
      await run('update admin.settings set external_masker = true where account_id = $1');
      await run(`insert into text.backfill (account_id, stage, version, basis, enqueued_below) values ($1, 'mask', '7', 'external', 3)
        on conflict (account_id, stage) do update set version = '7', basis = 'external', enqueued_below = 3`);
      await run(
        "insert into text.masked_text (account_id, answer, policy, content, sequence) values ($1, 0, 7, 'by another', 1)",
      );
      await run(
        "insert into text.pending (account_id, stage, answer, attempts, due_at) values ($1, 'mask', 1, 4, now() + interval '1 day')",
      );
      await run("insert into text.given_up (account_id, stage, answer, reason) values ($1, 'mask', 2, 'TimeoutError')");
      expect(await read(account)).toEqual(EMPTY);
    });
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    expect(await countOf(db, 'given_up', account)).toBe(0);
  });

  it('masks of another version of the masker are shown until new ones replace them, and those of a later release and of 0.1 stay [TEXTS-MASKING-2]', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    const run = (sql: string, ...values: unknown[]) => db.query<{ version: string }>(sql, [account.accountId, ...values]);
    const versionOf = async () =>
      (await run("select version from text.backfill where account_id = $1 and stage = 'mask'")).rows[0]?.version ?? '';
    const own = await versionOf();
    const [policy = '', generation] = own.split(' ');
    // What processes of another release leave, whose masks differ.
    const asMaskedBy = (version: string) =>
      run(
        `with due as (insert into text.due (kind, account_id, due_at) values ('backfill', $1, now())),
           told as (update text.account_state set sequence = sequence + 1 where account_id = $1 returning sequence),
           masked as (update text.masked_text set masker = 1, content = 'theirs', sequence = told.sequence from told where account_id = $1)
         update text.backfill set version = $2, basis = 'another' where account_id = $1 and stage = 'mask'`,
        version,
      );
    const later = `${policy} ${Number(generation) + 1} another`;
    await asMaskedBy(later);
    await state(account, 'response', wrote(4));
    await expect.poll(async () => (await texts(account)).toSorted()).toEqual([MASKED, 'theirs', 'theirs', 'theirs']);
    expect(await versionOf()).toBe(later);

    // Processes of 0.1 know no other version, so it must remain while they run.
    await asMaskedBy(policy);
    await state(account, 'response', wrote(5));
    await expect.poll(async () => (await texts(account)).toSorted()).toEqual([MASKED, ...Array<string>(4).fill('theirs')]);
    expect(await versionOf()).toBe(policy);

    await asMaskedBy(`${policy} ${Number(generation) - 1} another`);
    const seen = new Set<number>();
    await expect
      .poll(async () => {
        const now = await texts(account);
        seen.add(now.length);
        return now;
      })
      .toEqual(Array<string>(5).fill(MASKED));
    expect([...seen]).toEqual([5]);
    expect(await versionOf()).toBe(own);
  });

  it('a corrected text is not shown under the mask of the one before', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', ...textResponses(4));
    await expect.poll(() => read(account)).toMatchObject({ total_count: 4 });
    await state(account, 'response', textResponse({ n: 1, texts: { 15: 'corrected' }, revision: 1 }));
    await expect.poll(() => texts(account)).toEqual(['corrected', 'text 2', 'text 3', 'text 4']);
  });

  it('an answer that ends the process twice is given up alone, until its text changes [TEXTS-MASKING-2]', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', wrote(1), wrote(2), wrote(3), wrote(4));
    await expect.poll(() => texts(account)).toHaveLength(4);
    const run = (sql: string) => db.query(sql, [account.accountId]);
    // What a process leaves behind if it ends during its second attempt at the first answer.
    await run('delete from text.masked_text where account_id = $1 and answer = 0');
    await run(`insert into text.pending (account_id, stage, answer, attempts, crashes, in_progress, due_at)
      values ($1, 'mask', 0, 2, 1, true, now())`);
    await run("insert into text.due (kind, account_id, due_at) values ('dispatch', $1, now())");
    const givenUp = async () => (await run('select answer, crashed from text.given_up where account_id = $1')).rows;
    await expect.poll(givenUp).toEqual([{ answer: 0, crashed: true }]);
    await settings(account, { masking_categories: ['email', 'phone'] });
    await expect.poll(() => texts(account)).toEqual([MASKED, MASKED, MASKED]);
    await state(account, 'response', textResponse({ n: 1, texts: { 15: written(1) }, revision: 1 }));
    await expect.poll(() => countOf(db, 'pending', account)).toBe(0);
    expect(await givenUp()).toEqual([{ answer: 0, crashed: true }]);
    expect(await texts(account)).toHaveLength(3);
    await state(account, 'response', textResponse({ n: 1, texts: { 15: 'corrected' }, revision: 2 }));
    await expect.poll(() => texts(account)).toHaveLength(4);
    expect(await givenUp()).toEqual([]);
  });

  it('one of several answers that a process leaves is tried again, and not given up', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', wrote(1), wrote(2), wrote(3));
    await expect.poll(() => texts(account)).toHaveLength(3);
    await db.query('delete from text.masked_text where account_id = $1', [account.accountId]);
    const left = `insert into text.pending (account_id, stage, answer, in_progress, due_at)
      select $1, 'mask', n, true, now() from generate_series(0, 2) n`;
    await db.query(left, [account.accountId]);
    await db.query("insert into text.due (kind, account_id, due_at) values ('dispatch', $1, now())", [account.accountId]);
    await expect.poll(() => countOf(db, 'pending', account)).toBe(0);
    expect([await countOf(db, 'masked_text', account), await countOf(db, 'given_up', account)]).toEqual([3, 0]);
  });

  it('tells how many, once, and repeats nothing when a fact does', async () => {
    const account = await fixture();
    await settings(account, ON);
    await state(account, 'response', ...textResponses(120));
    await expect.poll(() => read(account)).toMatchObject({ total_count: 120 });
    await state(account, 'response', ...textResponses(120));
    await state(account, 'survey', survey(1, { text_threshold: 3 }, 0));
    await expect.poll(() => countOf(db, 'pending', account)).toBe(0);
    await using tool = await connectTool(stack.natsUrl, 'test');
    const told = (await eventsOf(db, tool.bus, account.accountId)).filter(({ what }) => what === 'text.masked');
    const counts = told.map(({ payload }) => TextEvent.decode(payload).answers);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(120);
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
    expect(told[0]?.headers).toMatchObject({ 'ce-source': '/survey/text-analysis', 'ce-type': 'survey.text.masked' });
  });

  it('a small account does not wait for a large one', async () => {
    const [large, small] = [await fixture(), await fixture()];
    for (const account of [large, small]) await settings(account, ON);
    await state(large, 'response', ...textResponses(6_000));
    await state(small, 'response', ...textResponses(5));
    await expect.poll(() => read(small)).toMatchObject({ total_count: 5 });
    expect(await countOf(db, 'pending', large)).toBeGreaterThan(0);
    await expect.poll(async () => (await read(large)).total_count, { timeout: 60_000, interval: 500 }).toBe(6_000);
  }, 120_000);
});
