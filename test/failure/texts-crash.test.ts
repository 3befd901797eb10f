import { connectTool } from '@survey/bus/tool-connection.ts';
import { TextEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { eventsOf } from '../support/events.ts';
import { response, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { startTextAnalysisProcess } from '../support/text-analysis-process.ts';
import { C1, openTextFixture, textResponse } from '../support/text-fixture.ts';

const files = await startFileStack();
const { stack, db, importAndWait } = files;
const { fixture, state, ask, read, settings } = await openTextFixture(files);
await stack.services['text-analysis'][Symbol.asyncDispose]();
let worker = startTextAnalysisProcess(stack);
afterAll(() => worker[Symbol.asyncDispose]());

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
    worker = startTextAnalysisProcess(stack);
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
    const refusal = await ask(
      account,
      `&question_ids=${encodeURIComponent(email)}&attribute_option_ids=${firstname}&survey_ids=${lastname}`,
    );
    expectProblem(refusal, 400);
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
      JSON.stringify([dead.rows, outbox.rows, refusal.body, [...refusal.headers]]),
      ...events.map(({ payload, headers }) => Buffer.from(payload).toString('latin1') + JSON.stringify(headers)),
    ].join('\n');
    expect(everything).toContain('text_stage_answers_total');
    for (const planted of ['Quintessa', 'Vandersloot', 'quintessa', '901820', 'Please ask']) {
      // The assertion message must not contain the text either.
      expect(everything.includes(planted), `${planted.length} letters of a text`).toBe(false);
    }
  });
});
