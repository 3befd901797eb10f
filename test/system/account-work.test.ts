import { startAccountWork } from '@survey/bus/account-work.ts';
import { openBus } from '@survey/bus/connection.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { describe, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { scrape } from '../support/scrape.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';

const files = await startFileStack();
const { db, stack } = files;
const { fixture, state, texts, settings } = await openTextFixture(files);

async function failures(kind: string): Promise<number> {
  const samples = await scrape(stack.services['text-analysis'].probeAddress);
  const counted = samples.find(
    ({ name, labels }) => name === 'account_work_total' && labels['kind'] === kind && labels['outcome'] === 'failed',
  );
  return counted?.value ?? 0;
}

describe('background work of accounts', () => {
  it('goes on for other accounts when it fails for one, which is put off and counted', async () => {
    const [broken, other] = [await fixture(), await fixture()];
    await db.query(
      `create function text.break_plan() returns trigger language plpgsql as 'begin raise exception ''broken''; end'`,
    );
    await db.query(
      `create trigger break_plan before insert or update on text.backfill for each row
       when (new.account_id = ${broken.accountId}) execute function text.break_plan()`,
    );
    for (const account of [broken, other]) {
      await settings(account, { masking_entitled: true, masking: true });
      await state(account, 'response', ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: `Write to p${n}@example.com` } })));
    }
    await expect.poll(() => texts(other)).toEqual(Array(3).fill('Write to [EMAIL]'));
    expect(await failures('backfill')).toBeGreaterThan(0);
    const putOff = (): Promise<unknown[]> =>
      db
        .query(`select from text.due where account_id = $1 and kind = 'backfill' and attempts > 0 and due_at > now()`, [
          broken.accountId,
        ])
        .then(({ rows }) => rows);
    // At any moment between two attempts.
    await expect.poll(putOff).not.toEqual([]);
    await db.query('drop trigger break_plan on text.backfill');
    await expect.poll(() => texts(broken)).toEqual(Array(3).fill('Write to [EMAIL]'));
  });

  it('is looked for when that of another kind cannot be', async () => {
    const { accountId } = await fixture();
    const context = toolOf('test');
    await using _ = context.resources;
    const pool = openDatabase({ url: stack.databaseUrl, name: 'test', maxConnections: 2 }, context);
    const done: number[] = [];
    const nothing = () => Promise.resolve(undefined);
    // Nothing listens there: work does not depend on the bus.
    startAccountWork(
      { pool, schema: 'scoring', bus: openBus('nats://127.0.0.1:1', 'test', context), pollMs: 50 },
      [
        { kind: 'first', sweep: () => Promise.reject(new Error('takes too long')), work: nothing },
        { kind: 'second', sweep: () => Promise.resolve([accountId]), work: (id) => (done.push(id), nothing()) },
      ],
      context,
    );
    await expect.poll(() => done).toEqual([accountId]);
  });
});
