import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openScoreFixture, released } from '../support/score-fixture.ts';
import { scrape } from '../support/scrape.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';

const TWO_MEGABYTES = { ANSWER_CACHE_MB: '2' };
const files = await startFileStack({ 'text-analysis': TWO_MEGABYTES });
const { db, stack } = files;
const { fixture, state, ask, read } = await openTextFixture(files);
const scores = await openScoreFixture(files);

/** Adds this number of answers to response 1 of the account, to questions from 1,000 on. */
async function addAnswers({ accountId }: Account, count: number): Promise<void> {
  await db.query(
    `with response as (select id from text.response where account_id = $1::bigint order by id limit 1),
     state as (
       update text.account_state set answers = answers + $2::integer, sequence = sequence + 1 where account_id = $1::bigint
       returning answers, sequence
     ), question as (
       insert into text.question (account_id, id, revision, digest, survey_id, type, name)
       select $1::bigint, 999 + n, 0, '', 1, 'textfield', '{}' from generate_series(1, $2::integer) n
     )
     insert into text.answer (account_id, id, response_id, question_id, sort_key, content, sequence)
     select $1::bigint, state.answers - n, response.id, 999 + n, hashint8extended(n, 7), 'many', state.sequence
     from state, response, generate_series(1, $2::integer) n`,
    [accountId, count],
  );
}

async function count(service: 'text-analysis' | 'scoring-anonymity', metric: string, label: string): Promise<number> {
  const samples = await scrape(stack.services[service].probeAddress);
  return samples.find(({ name, labels }) => name === metric && Object.values(labels).includes(label))?.value ?? 0;
}

const loads = (outcome: string) => count('text-analysis', 'answers_loads_total', outcome);

describe('text-analysis', () => {
  it('reloads an account when too many answers have changed, and caches it although selections do not fit', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(3));
    expect((await read(account)).total_count).toBe(3);
    await addAnswers(account, 60_000);
    const before = await loads('loaded');
    for (const query of ['', '&survey_ids=1', '', '&survey_ids=1']) expect((await read(account, query)).total_count).toBe(60_003);
    expect(await loads('loaded')).toBe(before + 1);
  });

  it('rejects an account whose answers do not fit, and serves others', async () => {
    const [large, small] = [await fixture(), await fixture()];
    for (const account of [large, small]) await state(account, 'response', ...textResponses(3));
    await addAnswers(large, 70_000);
    expect(await ask(large)).toMatchObject({ status: 503 });
    expect(await loads('too_large')).toBe(1);
    expect((await read(small)).total_count).toBe(3);
  });
});

describe('scoring-anonymity', () => {
  it('asks PostgreSQL when more answers have changed than can be followed', async () => {
    const account = await scores.fixture();
    await scores.state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }));
    expect(await scores.ask(account, '11')).toMatchObject(released(100, 5));
    // More answers than the change log can follow.
    await db.query(
      `with state as (
         update scoring.account_state set answers = answers + 60000, sequence = sequence + 1 where account_id = $1::bigint returning sequence
       ), corrected as (
         update scoring.response r set sequence = state.sequence from state where r.account_id = $1::bigint and r.ordinal = 0 returning r.*
       )
       insert into scoring.answer (account_id, question_id, submitted_us, response, respondent, choice)
       select $1::bigint, 100000 + n, r.submitted_us, r.ordinal, r.respondent, 0 from corrected r, generate_series(1, 60000) n`,
      [account.accountId],
    );
    const before = await count('scoring-anonymity', 'score_reads_total', 'database');
    // A busy machine may exceed the deadline of a call.
    await expect.poll(() => scores.ask(account, '11')).toMatchObject(released(100, 5));
    expect(await count('scoring-anonymity', 'score_reads_total', 'database')).toBeGreaterThan(before);
  });
});
