import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { surveyctlAt, type Finished } from '../support/surveyctl.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';
import { textOperatorAt } from '../support/topics.ts';

const files = await shareStack();
const { db, importAndWait, operator, stack } = files;
const { fixture, state, settings, read } = await openTextFixture(files);
const asOperator = textOperatorAt(stack);
const surveyctl = surveyctlAt(stack);

const ANSWERS = 20;

const status = z.object({
  answers: z.number(),
  topics: z.number(),
  stages: z.array(
    z.object({
      stage: z.string(),
      version: z.string().nullable(),
      waiting: z.number(),
      given_up: z.number(),
      is_backfilled: z.boolean(),
    }),
  ),
});

const at = ({ accountId }: Account, ...args: string[]): Promise<Finished> =>
  surveyctl(['text', ...args, '--account', String(accountId)]);

/** Creates an account with categorisation on and processed answers about pay. */
async function accountWithTopics(): Promise<Account> {
  const account = await fixture();
  await asOperator(account.accountId).createTopic({ name: 'Text', keywords: { en: { words: ['text'] } } });
  await state(account, 'response', ...textResponses(ANSWERS));
  await settings(account, { categorisation: true });
  await expect
    .poll(async () => {
      const { stages } = await asOperator(account.accountId).showTextStatus({});
      return stages.every(({ is_backfilled, waiting, not_enqueued }) => is_backfilled && waiting + not_enqueued === 0);
    })
    .toBe(true);
  return account;
}

describe('surveyctl text rebuild', () => {
  it('does all stages that are on again, with progress, and says how many answers', async () => {
    const account = await accountWithTopics();
    await db.query('delete from text.topic_assignment where account_id = $1', [account.accountId]);
    const { exitCode, stdout, stderr } = await at(account, 'rebuild', '--json');
    expect({ exitCode, result: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      result: {
        stages: ['categorise', 'sentiment'].map((stage) => ({ stage, queued: ANSWERS, given_up: 0 })),
      },
    });
    expect(stderr).toMatch(/^categorise: queueing 20 answers\n/);
    const { rows } = await db.query('select count(*)::int as count from text.topic_assignment where account_id = $1', [
      account.accountId,
    ]);
    expect(rows).toEqual([{ count: ANSWERS }]);
  });

  it('does one stage for people too', async () => {
    const { stdout } = await at(await accountWithTopics(), 'rebuild', '--stage', 'categorise');
    expect(stdout).toMatch(/^STAGE +ANSWERS +GIVEN UP\ncategorise +20 +0\n$/);
  });
});

describe('surveyctl text rebuild while NATS accepts no jobs', () => {
  it('says so while it waits, and when it gives up', async () => {
    const account = await accountWithTopics();
    const bus = await connect({ servers: stack.natsUrl.replace('nats://', '') });
    const { streams } = await jetstreamManager(bus);
    await streams.update('JOBS', { max_msg_size: 1 });
    const { exitCode, stderr } = await at(account, 'rebuild', '--stall-timeout', '8');
    await streams.update('JOBS', { max_msg_size: -1 });
    await bus.close();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('waiting for NATS to accept jobs');
    expect(stderr).toContain('NATS accepts no jobs, see docs/runbooks/NatsDown.md');
  });
});

describe('surveyctl text retry', () => {
  it('queues again what status shows as given up', async () => {
    const account = await accountWithTopics();
    await db.query(
      "insert into text.given_up (account_id, stage, answer, reason) select $1, 'sentiment', n, 'TimeoutError' from generate_series(0, 2) n",
      [account.accountId],
    );
    const shown = await at(account, 'status');
    expect(shown.stdout).toMatch(/\nsentiment +done +0 +0 +- +3\n/);
    expect(shown.stdout).toMatch(/\nsentiment +3 +TimeoutError\n/);
    expect(JSON.parse((await at(account, 'retry', '--stage', 'mask', '--json')).stdout)).toEqual({ queued: 0 });
    expect(JSON.parse((await at(account, 'retry', '--json')).stdout)).toEqual({ queued: 3 });
    await expect
      .poll(async () => status.parse(JSON.parse((await at(account, 'status', '--json')).stdout)))
      .toMatchObject({
        answers: ANSWERS,
        topics: 1,
        stages: [
          { stage: 'mask', version: null },
          { stage: 'categorise', waiting: 0, given_up: 0, is_backfilled: true },
          { stage: 'sentiment', waiting: 0, given_up: 0, is_backfilled: true },
        ],
      });
  });
});

describe('surveyctl text mask', () => {
  it('masks lines of standard input like answers of the account, and says why [TEXTS-MASKING-1]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [R(1, { firstname: 'Thomas', lastname: 'Wolf' })]);
    const masking = ['text', 'mask', '--account', String(account.accountId)];
    const lines = 'Wolf hört nie zu.\n\nSchreib an x@example.org, +49 30 901820.\n';
    expect((await surveyctl([...masking, '--language', 'de'], lines)).stdout).toBe(
      '[NAME] hört nie zu.\n\nSchreib an [EMAIL], [PHONE].\n',
    );
    await settings(account, { masking_entitled: true, masking: true, masking_categories: ['name'] });
    const { stdout } = await surveyctl([...masking, '--json'], lines);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { text: '[NAME] hört nie zu.', language: 'de', masks: [{ category: 'name', start: 0, end: 4, rule: 'roster' }] },
      { text: '', language: 'de', masks: [] },
      { text: 'Schreib an x@example.org, +49 30 901820.', language: 'de', masks: [] },
    ]);
    expect((await surveyctl([...masking, '--language', 'German'], lines)).exitCode).toBe(2);
  });
});

describe('surveyctl text allow-list', () => {
  it('leaves listed names visible, unless an employee has them [TEXTS-MASKING-5]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [R(1, { firstname: 'Thomas', lastname: 'Wolf' })]);
    const masked = async (): Promise<string> =>
      (await surveyctl(['text', 'mask', '--account', String(account.accountId)], 'I met Sabine Keller and Thomas Wolf.\n'))
        .stdout;
    expect(await masked()).toBe('I met [NAME] and [NAME].\n');

    const added = await at(account, 'allow-list', 'add', 'Wolf', 'Sabine Keller', 'Sabine Keller', '--json');
    expect(JSON.parse(added.stdout)).toEqual({ names: ['Sabine Keller', 'Wolf'] });
    await expect.poll(masked).toBe('I met Sabine Keller and [NAME].\n');
    expect((await at(account, 'allow-list', 'list')).stdout).toBe('Sabine Keller\nWolf\n');

    await at(account, 'allow-list', 'remove', 'Sabine Keller');
    await expect.poll(masked).toBe('I met [NAME] and [NAME].\n');
    const rejected = await at(account, 'allow-list', 'add', '7');
    expect([rejected.exitCode, rejected.stderr]).toEqual([1, expect.stringContaining('at least two letters')]);
  });
});

describe('surveyctl topic', () => {
  it('counts the released texts of each keyword before it is saved, and deactivates a topic [TEXTS-TOPICS-4, TEXTS-TOPICS-5]', async () => {
    const account = await accountWithTopics();
    const topic = async (...args: string[]): Promise<unknown> =>
      JSON.parse(
        (await surveyctl(['topic', ...args, '--topic', 'Text', '--account', String(account.accountId), '--json'])).stdout,
      );
    // The texts are in no language, so the topic is found by its name.
    const tried = ['--language', 'en', '--words', 'text,canteen', '--explain'];
    expect(await topic('keywords', ...tried)).toEqual({
      keywords: expect.arrayContaining([
        { language: '', word: 'Text', texts: ANSWERS, is_suggested: false, kind: 'name' },
        { language: 'en', word: 'text', texts: 0, is_suggested: false, kind: 'keyword' },
        { language: 'en', word: 'canteen', texts: 0, is_suggested: false, kind: 'keyword' },
      ]),
      texts: ANSWERS,
    });
    expect(await topic('keywords')).toEqual({ name: 'Text', keywords: { en: ['text'] } });

    const shown = async (): Promise<number> =>
      (await read(account)).responses.filter(({ topics }) => topics.some(({ name }) => name === 'Text')).length;
    expect(await shown()).toBe(ANSWERS);
    await topic('deactivate');
    expect(await shown()).toBe(0);
    await topic('activate');
    await expect.poll(shown).toBe(ANSWERS);
  });
});

describe('surveyctl text withhold', () => {
  const withText = async () => {
    const account = await accountWithTopics();
    const before = await read(account);
    return { account, before, text: before.responses[1]?.text ?? '' };
  };
  const withhold = ({ accountId }: Account, text: string, ...args: string[]): Promise<Finished> =>
    surveyctl(['text', 'withhold', '--account', String(accountId), ...args], text);

  it('withholds one answer from the next call on, and still counts its respondent [TEXTS-WITHHELD-1]', async () => {
    const { account, before, text } = await withText();
    expect(before.total_count).toBe(ANSWERS);
    expect(await withhold(account, text)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('needs a reason') });
    const { stdout } = await withhold(account, text, '--reason', 'names a colleague', '--json');
    const { handle } = z.object({ handle: z.string() }).parse(JSON.parse(stdout));
    const rest = before.responses.filter((one) => one.text !== text);
    expect(await read(account)).toMatchObject({ total_count: ANSWERS - 1, responses: rest });
    expect((await read(account, '&offset=1')).responses).toEqual(rest.slice(1));
    await asOperator(account.accountId).rebuildText({ stage: 'categorise' });
    expect((await read(account)).total_count).toBe(ANSWERS - 1);
    const audit = await db.query<{ before: unknown; after: unknown }>(
      "select actor, reason, before, after, outcome from admin.audit where account_id = $1 and action = 'answer.withhold'",
      [account.accountId],
    );
    expect(audit.rows).toEqual([
      expect.objectContaining({ reason: 'names a colleague', before: null, after: { handle }, outcome: 'done' }),
    ]);
    expect(await withhold(account, text, '--reason', 'names a colleague')).toMatchObject({ exitCode: 1 });

    expect((await withhold(account, '', '--handle', handle, '--undo', '--reason', 'a mistake')).exitCode).toBe(0);
    expect(await read(account)).toMatchObject({ total_count: ANSWERS, responses: before.responses });
  });

  it('hides denied words from the next call on, with a reason that is audited without them [TEXTS-WITHHELD-2]', async () => {
    const { account, text } = await withText();
    const [word = ''] = text.split(' ');
    const change = (...args: string[]): Promise<Finished> => at(account, 'deny-list', ...args);
    expect(await change('add', word)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('needs a reason') });
    expect((await change('add', word, '--reason', 'missed name')).exitCode).toBe(0);
    const { total_count, responses } = await read(account);
    expect(total_count).toBe(ANSWERS);
    const hidden = text.replace(word, '[NAME]');
    expect(responses[1]?.text).toBe(hidden);
    expect((await withhold(account, text, '--reason', 'a guess')).stderr).toContain('no released answer has exactly this text');
    const { stdout } = await withhold(account, hidden, '--reason', 'names a colleague', '--json');
    const { handle } = z.object({ handle: z.string() }).parse(JSON.parse(stdout));
    expect((await read(account)).total_count).toBe(ANSWERS - 1);
    await withhold(account, '', '--handle', handle, '--undo', '--reason', 'a mistake');
    const audit = await db.query<{ after: unknown }>(
      "select reason, after from admin.audit where account_id = $1 and action = 'settings.set' order by id desc limit 1",
      [account.accountId],
    );
    expect(audit.rows).toMatchObject([{ reason: 'missed name', after: { masking_denied_words: 1 } }]);
    expect((await change('list')).stdout).toBe(`${word}\n`);
    await change('remove', word, '--reason', 'a mistake');
    expect((await read(account)).responses[1]?.text).toBe(text);
  });
});

describe('the metrics of text-analysis', () => {
  it('count answers by stage and what became of them, and show what waits', async () => {
    await accountWithTopics();
    const metrics = await (await fetch(`http://${stack.services['text-analysis'].probeAddress}/metrics`)).text();
    const value = (name: string, labels: string): number =>
      Number(new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} (\\S+)$`, 'm').exec(metrics)?.[1]);
    expect(value('text_stage_answers_total', 'stage="categorise",outcome="done"')).toBeGreaterThanOrEqual(ANSWERS);
    for (const name of ['text_stage_pending_answers', 'text_stage_oldest_pending_seconds']) {
      for (const stage of ['mask', 'categorise', 'sentiment']) expect(value(name, `stage="${stage}"`)).toBeGreaterThanOrEqual(0);
    }
  });
});
