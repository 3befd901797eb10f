import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { assignment, openIntake, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { list } from '../support/list-conventions.ts';
import { seededRandom } from '../support/random.ts';
import { records } from '../support/records.ts';

const stack = await startFileStack();
const { db, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);

const random = seededRandom(3);
// Random, because PostgreSQL compresses repeated text before it checks the size.
const randomText = (length: number): string =>
  String.fromCodePoint(...Array.from({ length }, () => 0x4e00 + Math.floor(random() * 20_000)));
const topic = (name: string) => ({ revision: 0, line: 1, topic: { name, keywords: {} } });
const surveyIdsOf = async (own: Account) => (await list(stack, own, '/v1/surveys?limit=300', 'surveys')).rows.map(({ id }) => id);
const reasons = z.array(z.object({ reason: z.string() }));
async function reasonsOf({ accountId }: Account, schema: 'export' | 'imports' | 'text') {
  const { rows } = await db.query(`select reason from ${schema}.dead_letter where account_id = $1 order by position`, [
    accountId,
  ]);
  return reasons.parse(rows).map(({ reason }) => reason);
}

describe('facts with texts that no index can hold', () => {
  it('are dead letters, and the good facts of their batch are applied', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'topic', [topic('Pay'), topic(randomText(3_000)), topic('Workload')]);
    const { rows } = await db.query('select name from text.topic where account_id = $1 order by name', [own.accountId]);
    expect(rows).toEqual(expect.arrayContaining([{ name: 'Pay' }, { name: 'Workload' }]));
    expect(await reasonsOf(own, 'text')).toEqual(['invalid:name too_long:255']);
  });

  it('are dead letters of whichever service reads them', async () => {
    const own = await operator.createAccount();
    const import_id = randomText(3_000);
    const edit = { employee: { import_id }, attributes: [], cleared: [] };
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { import_id } }), assignment(2)]);
    await publishFacts(own.accountId, 'employee', [{ revision: 0, line: 1, employee_edit: edit }]);
    expect(await list(stack, own, '/v1/survey_assignments', 'survey_assignments')).toMatchObject({ rows: [{ id: 2 }] });
    const reason = 'invalid:employee/import_id too_long:255';
    expect([await reasonsOf(own, 'export'), await reasonsOf(own, 'imports')]).toEqual([[reason], [reason]]);
  });

  it('are dead letters when only the database finds out [54000]', async () => {
    const own = await operator.createAccount();
    await db.query(`create index narrow on export.survey ((name ->> 'en'))`);
    await publishFacts(own.accountId, 'survey', [survey(1), survey(2, { name: { en: randomText(3_000) } }), survey(3)]);
    await db.query('drop index export.narrow');
    expect(await surveyIdsOf(own)).toEqual([1, 3]);
    expect(await reasonsOf(own, 'export')).toEqual(['database_rejects:54000']);
  });

  it('are dead letters when the name of their source is such a text', async () => {
    const own = await operator.createAccount();
    const source = `a\0${randomText(3_000)}`;
    await publishFacts(own.accountId, 'survey', [survey(1), survey(0)], { source });
    expect(await surveyIdsOf(own)).toEqual([1]);
    const { rows } = await db.query('select source from export.dead_letter where account_id = $1', [own.accountId]);
    expect(rows).toEqual([{ source: `a\u{fffd}${source.slice(2, 255)}` }]);
  });

  it.each([
    ['timezone', { timezone: `UTC'; select 1` }],
    ['timezone', { timezone: 'x'.repeat(100_000) }],
    ['frequency', { frequency: 'x'.repeat(100_000) }],
  ])('are rejected as the %s of a survey', async (field, more) => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(1, more), survey(2)]);
    expect(await surveyIdsOf(own)).toEqual([2]);
    expect(await reasonsOf(own, 'export')).toEqual([expect.stringMatching(`^invalid:${field} (not_timezone|too_long:255)$`)]);
  });
});

describe('a dead letter', () => {
  it('does not overwrite another when INTAKE was recreated and its sequence restarts at 1', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(0)], { source: 'load-1' });
    // The next message gets the sequence of this one in the old stream.
    await db.query('update export.dead_letter set stream_sequence = stream_sequence + 1 where account_id = $1', [own.accountId]);
    await publishFacts(own.accountId, 'survey', [survey(0)], { source: 'load-2' });
    expect(await reasonsOf(own, 'export')).toHaveLength(2);
  });
});

describe('a fact that fails for another reason', () => {
  it('comes again later, and the other facts of its message are applied meanwhile', async () => {
    const own = await operator.createAccount();
    await db.query(`
      create function pg_temp_fails() returns trigger language plpgsql as $$ begin raise 'a fault' using errcode = 'XX000'; end $$;
      create trigger fails before insert on export.survey for each row when (new.id = 9013) execute function pg_temp_fails()`);
    const surveys = Array.from({ length: 30 }, (_, n) => survey(9_001 + n));
    await publishFacts(own.accountId, 'survey', surveys, { untilApplied: false });
    await expect.poll(async () => (await surveyIdsOf(own)).length).toBe(29);
    await db.query('drop trigger fails on export.survey');
    await expect.poll(async () => (await surveyIdsOf(own)).length).toBe(30);
  });
});

describe('facts that the database takes too long to write', () => {
  it('are halved until they fit, and a fact that is too slow alone is a dead letter', async () => {
    const own = await operator.createAccount();
    // Raises what PostgreSQL raises at statement_timeout, without the wait of 10 s per half.
    await db.query(`
      create function pg_temp_slow() returns trigger language plpgsql as $$ begin
        if (select count(*) > 4 or bool_or(id = 9113) from fresh) then raise 'too slow' using errcode = '57014'; end if;
        return null;
      end $$;
      create trigger slow after insert on export.survey referencing new table as fresh
        for each statement execute function pg_temp_slow()`);
    const ids = Array.from({ length: 30 }, (_, n) => 9_101 + n);
    await publishFacts(
      own.accountId,
      'survey',
      ids.map((id) => survey(id)),
    );
    await db.query('drop trigger slow on export.survey');
    expect(await surveyIdsOf(own)).toEqual(ids.filter((id) => id !== 9_113));
    expect(await reasonsOf(own, 'export')).toEqual(['database_too_slow']);
  });

  it('are halved when they have waited for their employees, too', async () => {
    const own = await operator.createAccount();
    const ids = Array.from({ length: 30 }, (_, n) => 9_201 + n);
    const facts = ids.map((id) => ({ ...assignment(id, { employee: { import_id: `E${id}` } }), line: id }));
    await publishFacts(own.accountId, 'assignment', facts);
    await db.query(`
      create function pg_temp_late() returns trigger language plpgsql as $$ begin
        if (select count(*) > 4 or bool_or(id = 9213) from fresh) then raise 'too slow' using errcode = '57014'; end if;
        return null;
      end $$;
      create trigger late after insert on export.assignment referencing new table as fresh
        for each statement execute function pg_temp_late()`);
    await stack.importAndWait(own, records(9_201, 9_230));
    const idsOf = async () =>
      (await list(stack, own, '/v1/survey_assignments?limit=100', 'survey_assignments')).rows.map(({ id }) => id);
    await expect.poll(idsOf).toEqual(ids.filter((id) => id !== 9_213));
    await expect.poll(() => reasonsOf(own, 'export')).toEqual(['database_too_slow']);
    await db.query('drop trigger late on export.assignment');
    const { rows } = await db.query('select from export.deferred_fact where account_id = $1', [own.accountId]);
    expect(rows).toEqual([]);
  });

  it('are not written when their account is closed meanwhile [DATA-DELETION-1]', async () => {
    const { accountId } = await operator.createAccount();
    await db.query(`
      create function pg_temp_meanwhile() returns trigger language plpgsql as $$ begin
        if (select count(*) > 1 from fresh) then perform pg_sleep(3); raise 'too slow' using errcode = '57014'; end if;
        return null;
      end $$;
      create trigger meanwhile after insert on export.survey referencing new table as fresh
        for each statement execute function pg_temp_meanwhile()`);
    const applied = publishFacts(accountId, 'survey', [survey(9_301), survey(9_302)]);
    const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep'";
    await expect.poll(async () => (await db.query(sleeping)).rowCount).toBe(1);
    await db.query('update admin.account set closed_at = now() where account_id = $1', [accountId]);
    await applied;
    await db.query('drop trigger meanwhile on export.survey');
    expect((await db.query('select id from export.survey where account_id = $1', [accountId])).rows).toEqual([]);
  });

  it('are not rejected because they wait for a lock', async () => {
    const own = await operator.createAccount();
    const client = await db.connect();
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('export.assignment', $1::bigint))`, [own.accountId]);
    await publishFacts(own.accountId, 'assignment', [assignment(1)], { untilApplied: false });
    // Longer than a statement may take.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    await client.query('commit');
    client.release();
    const countOf = async () => (await list(stack, own, '/v1/survey_assignments', 'survey_assignments')).totalCount;
    await expect.poll(countOf).toBe(1);
    expect(await reasonsOf(own, 'export')).toEqual([]);
  });
});

describe('the backlog of one account', () => {
  it('does not delay the facts of another', async () => {
    const [busy, other] = [await operator.createAccount(), await operator.createAccount()];
    const client = await db.connect();
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('export.assignment', $1::bigint))`, [busy.accountId]);
    const backlog = Array.from({ length: 300 }, (_, n) => assignment(n + 1));
    await publishFacts(busy.accountId, 'assignment', backlog, { batch: 1, untilApplied: false });
    await publishFacts(other.accountId, 'assignment', [assignment(1)], { untilApplied: false });
    const countOf = async (own: Account) => (await list(stack, own, '/v1/survey_assignments', 'survey_assignments')).totalCount;
    await expect.poll(() => countOf(other)).toBe(1);
    expect(await countOf(busy)).toBe(0);
    await client.query('commit');
    client.release();
    await expect.poll(() => countOf(busy)).toBe(300);
  });

  it('is applied in few transactions when its messages are small', async () => {
    const own = await operator.createAccount();
    const client = await db.connect();
    await client.query('begin; lock table export.survey');
    const surveys = Array.from({ length: 300 }, (_, n) => survey(n + 1));
    await publishFacts(own.accountId, 'survey', surveys, { batch: 1, untilApplied: false });
    await client.query('commit');
    client.release();
    await expect.poll(async () => (await surveyIdsOf(own)).length).toBe(300);
    const { rows } = await db.query(
      'select count(distinct xmin::text) as transactions from export.survey where account_id = $1',
      [own.accountId],
    );
    expect(Number(Object(rows[0]).transactions)).toBeLessThan(30);
  });
});
