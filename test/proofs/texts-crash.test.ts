import { connectTool } from '@survey/bus/connection.ts';
import { TextEvent } from '@survey/proto/events/v1/events.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { eventsOf } from '../support/events.ts';
import { cycle, response, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { optionId } from '../support/scales.ts';
import { C1, openTextFixture, textResponse } from '../support/text-fixture.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const files = await startFileStack();
const { stack, db, api, operator, importAndWait } = files;
const { fixture, state, ask, read, settings } = await openTextFixture(files);
for (const name of ['text-analysis', 'scoring-anonymity'] as const) await stack.services[name][Symbol.asyncDispose]();
let worker = startWorkerProcess('text-analysis', stack);
let scoring = startWorkerProcess('scoring-anonymity', stack);
afterAll(() => Promise.all([worker, scoring].map((process) => process[Symbol.asyncDispose]())));

const WAIT = { timeout: 60_000 };
// An invented name that no other answer contains.
const PLANTED = {
  firstname: 'Quintessa',
  lastname: 'Vandersloot',
  email: 'quintessa.vandersloot@example.com',
  phone: '+49 30 901820',
};
const WRITTEN = `Please ask ${PLANTED.firstname} ${PLANTED.lastname} (${PLANTED.email}, ${PLANTED.phone}) about it`;

async function maskedIn(accountId: number): Promise<number> {
  const { rows } = await db.query<{ count: string }>('select count(*) from text.masked_text where account_id = $1', [accountId]);
  return Number(rows[0]?.count);
}

describe('answers of a killed worker', () => {
  const ANSWERS = 1_500;

  it('are masked once by the next worker', { timeout: 180_000 }, async () => {
    const account = await fixture();
    const { accountId } = account;
    const facts = Array.from({ length: ANSWERS }, (_, n) => textResponse({ n: n + 1, texts: { 15: WRITTEN } }));
    await state(account, 'response', ...facts);
    await settings(account, { masking: true, masking_entitled: true });
    await expect.poll(() => maskedIn(accountId), { ...WAIT, interval: 5 }).toBeGreaterThan(0);
    await worker.kill();
    const half = await maskedIn(accountId);
    expect(half).toBeLessThan(ANSWERS);
    worker = startWorkerProcess('text-analysis', stack);
    // Simulates the end of the lease after 2 minutes.
    await db.query('update text.pending set due_at = now() where account_id = $1', [accountId]);
    await expect.poll(() => maskedIn(accountId), { timeout: 120_000 }).toBe(ANSWERS);
    await expect.poll(async () => Object((await ask(account)).body).total_count, WAIT).toBe(ANSWERS);
    expect(new Set((await read(account)).responses.map(({ text }) => text))).toEqual(
      new Set(['Please ask [NAME] ([EMAIL], [PHONE]) about it']),
    );
    await using tool = await connectTool(stack.natsUrl, 'test');
    const published = (await eventsOf(db, tool.bus, accountId)).filter(({ what }) => what === 'text.masked');
    expect(published.reduce((sum, { payload }) => sum + TextEvent.decode(payload).answers, 0)).toBe(ANSWERS);
  });
});

describe('blocks of a killed worker', () => {
  const SCORE = '/v1/scores?question_ids=11&period_from=2024-01-01T00:00:00Z&period_to=2024-02-01T00:00:00Z';

  async function blocksOf(accountId: number, schema: 'scoring' | 'text'): Promise<number> {
    const { rows } = await db.query<{ n: number }>(`select count(*)::int as n from ${schema}.block where account_id = $1`, [
      accountId,
    ]);
    return rows[0]?.n ?? 0;
  }

  // Locks the table of blocks, so that the worker waits in the middle of its transaction.
  async function killWhileSaving(table: string, kill: () => Promise<void>, begin: () => Promise<void>): Promise<void> {
    const lock = await db.connect();
    await lock.query(`begin; lock table ${table} in exclusive mode`);
    await begin();
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
    const isWaiting = () => db.query(waiting, [`%insert into ${table} %`]);
    await expect.poll(isWaiting, { ...WAIT, interval: 20 }).toMatchObject({ rowCount: 1 });
    await kill();
    await lock.query('rollback');
    lock.release();
    await expect.poll(isWaiting).toMatchObject({ rowCount: 0 });
  }

  it('are not saved in part, and are made again by the next worker [GUARD-BLOCKS-5]', { timeout: 180_000 }, async () => {
    const account = await fixture();
    const { accountId } = account;
    await state(account, 'cycle', cycle(C1, { closed_at: '2024-01-31T00:00:00Z' }));
    const facts = Array.from({ length: 6 }, (_, n) => textResponse({ n: n + 1, texts: { 15: `text ${n}` } }));
    for (const { response } of facts) response?.answers.push({ question_id: 11, option_ids: [optionId(11, 5)] });
    await state(account, 'response', ...facts);
    await expect.poll(() => api.get(SCORE, account.readKey), WAIT).toMatchObject({ body: { score: 100 } });
    const strict = { account_id: accountId, masking_categories: null, disclosure_guard: 'strict' };
    const turnOn = async (): Promise<void> => {
      await operator.admin.setSettings(strict, { caller: { requestId: 'test' }, deadlineMs: 10_000 });
    };
    await killWhileSaving('scoring.block', () => scoring.kill(), turnOn);
    const settled = await db.query('select from scoring.settled_cycle where account_id = $1', [accountId]);
    expect([await blocksOf(accountId, 'scoring'), settled.rowCount]).toEqual([0, 0]);
    expect((await api.get(SCORE, account.readKey)).status).toBe(503);
    await killWhileSaving(
      'text.block',
      () => worker.kill(),
      () => {
        scoring = startWorkerProcess('scoring-anonymity', stack);
        return Promise.resolve();
      },
    );
    expect(await blocksOf(accountId, 'text')).toBe(0);
    worker = startWorkerProcess('text-analysis', stack);
    await expect.poll(() => api.get(SCORE, account.readKey), WAIT).toMatchObject({ body: { score: 100, respondents: 5 } });
    await expect.poll(async () => Object((await ask(account)).body).total_count, WAIT).toBe(6);
    expect([await blocksOf(accountId, 'scoring'), await blocksOf(accountId, 'text')]).toEqual([1, 1]);
  });
});

describe('the text and the respondent of an answer [DATA-EVENTS-1, DATA-LOGS-1]', () => {
  it('occur in no log, event, job, metric, dead letter or error', { timeout: 120_000 }, async () => {
    const account = await fixture();
    const { accountId } = account;
    const { firstname, lastname, email } = PLANTED;
    await importAndWait(account, [{ import_id: 'E1', firstname, lastname, email }]);
    await settings(account, { masking: true, masking_entitled: true });
    const nobody = response(uuidOf(500), {
      cycle_id: C1,
      employee: null,
      answers: [{ question_id: 15, option_ids: [], text: WRITTEN }],
    });
    const broken = textResponse({ n: 501, texts: { 15: `${WRITTEN}\0` } });
    const good = Array.from({ length: 5 }, (_, n) => textResponse({ n: n + 1, texts: { 15: WRITTEN, 16: `${WRITTEN}, ${n}` } }));
    await state(account, 'response', ...good, nobody, broken);
    await expect.poll(() => read(account), WAIT).toMatchObject({ total_count: 10 });
    const rejection = await ask(
      account,
      `&question_ids=${encodeURIComponent(email)}&attribute_option_ids=${firstname}&survey_ids=${lastname}`,
    );
    expectProblem(rejection, 400);
    const metrics = await fetch(`http://${stack.services['text-analysis'].probeAddress}/metrics`);
    const dead = await db.query('select * from text.dead_letter where account_id = $1', [accountId]);
    expect(dead.rowCount).toBe(2);
    const outbox = await db.query<{ text: string }>(
      "select encode(payload, 'escape') as text from text.outbox where account_id = $1",
      [accountId],
    );
    expect(outbox.rowCount).toBeGreaterThan(1);
    await using tool = await connectTool(stack.natsUrl, 'test');
    const events = await eventsOf(db, tool.bus, accountId);
    const everything = [
      worker.said(),
      await metrics.text(),
      JSON.stringify([dead.rows, outbox.rows, rejection.body, [...rejection.headers]]),
      ...events.map(({ payload, headers }) => Buffer.from(payload).toString('latin1') + JSON.stringify(headers)),
    ].join('\n');
    expect(everything).toContain('text_stage_answers_total');
    for (const planted of ['Quintessa', 'Vandersloot', 'quintessa', '901820', 'Please ask']) {
      // The assertion message must not contain the text either.
      expect(everything.includes(planted), `${planted.length} letters of a text`).toBe(false);
    }
  });
});
