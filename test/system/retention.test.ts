import type { SetSettingsRequest } from '@survey/proto/admin/v1/admin.ts';
import { expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { ALL_TIME } from '../support/answers.ts';
import { holdAccount } from '../support/employees.ts';
import { cycle, openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { optionId } from '../support/scales.ts';
import { released, STARS } from '../support/score-fixture.ts';
import { scrape } from '../support/scrape.ts';

const file = await startFileStack();
const { api, db, operator, stack, importAndWait, listEmployees } = file;
const intake = await openIntake(stack);

async function retain(account: Account, changes: Partial<SetSettingsRequest>): Promise<void> {
  const request = { account_id: account.accountId, masking_categories: null, ...changes };
  await operator.admin.setSettings(request, { caller: { requestId: 'test' }, deadlineMs: 10_000 });
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

it('erases employees who were offboarded too long ago, and lets them return [DATA-RETENTION-1]', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 40));
  await importAndWait(account, records(1, 38));
  await db.query(
    `update imports.employee set offboarded_at = now() - interval '31 days' where account_id = $1 and import_id = $2`,
    [account.accountId, R(39).import_id],
  );
  const bodies = async (): Promise<number> =>
    Number((await db.query('select from imports.payload where account_id = $1', [account.accountId])).rowCount);
  expect(await importAndWait(account, records(1, 1))).toMatchObject({ state: 'cancelled' });
  expect(await bodies()).toBe(1);

  await retain(account, { retain_offboarded_days: 30 });
  const erased = async (): Promise<unknown[]> =>
    (await listEmployees(account)).employees.filter(({ email }) => email === '').map(({ is_deleted }) => is_deleted);
  await expect.poll(erased).toEqual([true]);
  const unfinished = 'select from imports.erased_employee where account_id = $1 and finished_at is null';
  await expect.poll(async () => (await db.query(unfinished, [account.accountId])).rowCount).toBe(0);
  expect(await bodies()).toBe(1);
  expect((await listEmployees(account)).employees.filter(({ is_deleted }) => is_deleted)).toMatchObject([
    { import_id: null },
    { import_id: R(40).import_id },
  ]);
  expect(await importAndWait(account, records(1, 40))).toMatchObject({ counts: { created: 1, reactivated: 1, skipped: 0 } });
  const { rows } = await db.query(
    'select count(*)::int as offboarded from imports.employee where account_id = $1 and offboarded_at is not null',
    [account.accountId],
  );
  expect(rows).toEqual([{ offboarded: 0 }]);
});

it('keeps an employee whom a waiting import brings back [DATA-RETENTION-1]', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 10));
  await importAndWait(account, records(1, 9));
  await db.query(`update imports.employee set offboarded_at = now() - interval '31 days' where account_id = $1 and is_deleted`, [
    account.accountId,
  ]);
  const hold = await holdAccount(db, account.accountId);
  const imported = importAndWait(account, records(1, 10));
  await retain(account, { retain_offboarded_days: 30 });
  const postponed = `select from imports.due where account_id = $1 and kind = 'retention-offboarded'
    and due_at between now() + interval '1 second' and now() + interval '1 minute'`;
  await expect.poll(async () => (await db.query(postponed, [account.accountId])).rowCount).toBe(1);
  await hold.letGo();
  expect(await imported).toMatchObject({ counts: { reactivated: 1 } });
  await db.query('update imports.due set due_at = now() where account_id = $1', [account.accountId]);
  await expect
    .poll(async () => (await db.query('select from imports.due where account_id = $1', [account.accountId])).rowCount)
    .toBe(0);
  expect((await listEmployees(account)).employees.filter(({ is_deleted }) => is_deleted)).toEqual([]);
});

const [CLOSED, RECENT, OPEN] = [uuidOf(901), uuidOf(902), uuidOf(903)];

/**
 * Returns an account in which five employees answered in each of three cycles: one that closed 40
 * days ago, one that closed 20 days ago, and one that is open, in which two answers are 100 days
 * old.
 */
async function accountWithAnswers(): Promise<Account> {
  const account = await operator.createAccount();
  const { accountId } = account;
  await intake.publishFacts(accountId, 'survey', [survey(1, { text_threshold: 3, score_threshold: 3 })]);
  await intake.publishFacts(accountId, 'question', [question(11, STARS), question(15)]);
  const opened_at = daysAgo(120);
  await intake.publishFacts(accountId, 'cycle', [
    cycle(CLOSED, { survey_id: 1, opened_at, closed_at: daysAgo(40) }),
    cycle(RECENT, { survey_id: 1, opened_at, closed_at: daysAgo(20) }),
    cycle(OPEN, { survey_id: 1, opened_at }),
  ]);
  const submitted = (cycleId: string, n: number): string => {
    if (cycleId === OPEN) return daysAgo(n < 2 ? 100 : 1);
    return daysAgo(cycleId === CLOSED ? 41 + n : 21 + n * 10);
  };
  const facts = [CLOSED, RECENT, OPEN].flatMap((cycleId, at) =>
    Array.from({ length: 5 }, (_, n) =>
      response(uuidOf(1 + at * 5 + n), {
        cycle_id: cycleId,
        employee: { id: n + 1 },
        submitted_at: submitted(cycleId, n),
        answers: [
          { question_id: 11, option_ids: [optionId(11, cycleId === CLOSED ? 1 : 5)], text: null },
          { question_id: 15, option_ids: [], text: `text ${at} ${n}` },
        ],
      }),
    ),
  );
  await intake.publishFacts(accountId, 'response', facts);
  return account;
}

it('deletes answers that wait for their employee for too long [DATA-RETENTION-2]', async () => {
  const account = await operator.createAccount();
  const { accountId } = account;
  const waiting = [1, 2].map((n) => response(uuidOf(n), { employee: { import_id: `unknown ${n}` } }));
  await intake.publishFacts(accountId, 'response', waiting, { addRespondents: false });
  const objects = async (): Promise<unknown[]> => {
    const of = (schema: string): string => `select object_id from ${schema}.deferred_fact where account_id = $1`;
    return (await db.query(`${of('scoring')} union all ${of('text')} order by 1`, [accountId])).rows.map(
      ({ object_id }) => object_id,
    );
  };
  expect(await objects()).toEqual([1, 1, 2, 2].map(uuidOf));
  await retain(account, { retain_answers_days: 30 });
  for (const schema of ['scoring', 'text'])
    await db.query(
      `with old as (update ${schema}.deferred_fact set deferred_at = now() - interval '31 days' where account_id = $1 and object_id = $2)
       update ${schema}.due set due_at = now() where account_id = $1`,
      [accountId, uuidOf(1)],
    );
  await expect.poll(objects).toEqual([2, 2].map(uuidOf));
});

it('deletes answers and texts of a cycle together, and of an open one by month [DATA-RETENTION-2]', async () => {
  const account = await accountWithAnswers();
  const untouched = await accountWithAnswers();
  const score = async ({ readKey }: Account): Promise<unknown> => {
    const { status, body } = await api.get(
      `/v1/scores?question_ids=11&period_from=${ALL_TIME.from}&period_to=${ALL_TIME.to}`,
      readKey,
    );
    return { status, body };
  };
  const texts = async ({ readKey }: Account): Promise<string[]> => {
    const page: { responses: { text: string }[] } = Object((await api.get('/v1/text_responses?limit=100', readKey)).body);
    return page.responses.map(({ text }) => text).sort();
  };
  const all = [0, 1, 2].flatMap((at) => [0, 1, 2, 3, 4].map((n) => `text ${at} ${n}`));
  const before = await score(untouched);
  expect([await score(account), await texts(account)]).toEqual([before, all]);

  await retain(account, { retain_answers_days: 30 });
  await expect.poll(() => texts(account)).toEqual(all.slice(5).filter((text) => !/^text 2 [01]$/.test(text)));
  await expect.poll(() => score(account)).toMatchObject(released(100, 5));
  const { rows } = await db.query(
    `select s.answers::int, (select count(*)::int from scoring.answer a where a.account_id = s.account_id) as rows
     from scoring.account_state s where s.account_id = $1`,
    [account.accountId],
  );
  expect(rows).toEqual([{ answers: 8, rows: 8 }]);
  expect([await score(untouched), await texts(untouched)]).toEqual([before, all]);
});

it('deletes entries of the audit log that are too old, and measures the lag [DATA-RETENTION-3]', async () => {
  const account = await operator.createAccount();
  const { accountId } = account;
  await db.query(`update admin.audit set recorded_at = now() - interval '8 days' where account_id = $1`, [accountId]);
  const actions = async (): Promise<string[]> =>
    (
      await db.query<{ action: string }>('select action from admin.audit where account_id = $1 order by id', [accountId])
    ).rows.map(({ action }) => action);
  expect(await actions()).toContain('key.create');
  await retain(account, { retain_audit_days: 7 });
  await expect.poll(actions).toEqual(['settings.set']);
  const kinds = {
    'account-admin': 'audit',
    'import-reconciler': 'offboarded',
    'scoring-anonymity': 'answers',
    'text-analysis': 'texts',
  } as const;
  for (const service of ['account-admin', 'import-reconciler', 'scoring-anonymity', 'text-analysis'] as const) {
    const samples = await scrape(stack.services[service].probeAddress);
    const lag = samples.filter(({ name }) => name === 'retention_lag_seconds');
    expect(lag.map(({ labels }) => labels['kind'])).toContain(kinds[service]);
  }
});
