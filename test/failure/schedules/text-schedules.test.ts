import { isDeepStrictEqual } from 'node:util';
import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import { inAccount } from '@survey/postgres/database.ts';
import { failpoint, onFailpoint } from '@survey/process/failpoint.ts';
import { createLog } from '@survey/process/log.ts';
import { eraseEmployee } from '@survey/text-analysis/erasure/erase-texts.ts';
import { maskStage } from '@survey/text-analysis/masking/mask-stage.ts';
import { loadRoster } from '@survey/text-analysis/masking/roster.ts';
import { maskingOf } from '@survey/text-analysis/rules/masking-policy.ts';
import { backfillStages } from '@survey/text-analysis/stages/backfill.ts';
import { processBatch } from '@survey/text-analysis/stages/process-batch.ts';
import { retryText } from '@survey/text-analysis/stages/retry-text.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { Client } from 'pg';
import { afterEach, expect, it } from 'vitest';
import { contextOf, createTextAccount, openTextDatabase, type StoredSettings } from '../../property/text-database.ts';
import { arrangeEmployee } from '../../support/employees.ts';
import { question, response, uuidOf } from '../../support/facts.ts';
import { explore, type Schedule } from './explore.ts';
import { ScheduleRun } from './run-schedule.ts';
import { CORRECTED, NAME, textCases, type Policy, type TextMechanisms, type TextWorld } from './text-model.ts';

const ALL: TextMechanisms = { masksOfText: true, givenUpText: true, wantedPolicy: true, erasedMasks: true, closedAccount: true };
const CASES = textCases(ALL);
const CATEGORIES: Readonly<Record<Policy, readonly string[]>> = { names: ['name', 'email'], addresses: ['email'] };
const violationsOf = (on: TextMechanisms): Set<string> =>
  new Set(textCases(on).flatMap((one) => explore(one).flatMap(({ violations }) => violations)));

it('keeps every promise in each order of the steps of two actors', () => {
  expect([...violationsOf(ALL)]).toEqual([]);
});

const database = await openTextDatabase();
const { text: pool, db } = database;
const log = createLog('test', 'silent');
const stage = maskStage(embeddedMasker, (id) => inAccount(pool, id, (tx) => loadRoster(tx, id)));
const EMPLOYEE = 2;
afterEach(() => onFailpoint(undefined));

const settingsOf = (policy: Policy | null): StoredSettings => ({
  effect: policy === null ? 'off' : 'on',
  categories: CATEGORIES[policy ?? 'names'],
  filterAttribute: null,
});

const factOf = (text: string | null, revision: number) =>
  response(uuidOf(1), { answers: text === null ? [] : [{ question_id: 15, option_ids: [], text }] }, revision);

/** Runs a schedule on an account of its own. Returns what differs from the model. */
async function runTextSchedule({ name, steps, ended }: Schedule<TextWorld>, start: TextWorld): Promise<string[]> {
  const account = await createTextAccount(database);
  const { accountId } = account;
  const [firstname = '', lastname = ''] = NAME.split(' ');
  await arrangeEmployee(db, accountId, { id: 1, email: 'a@x.io' });
  await arrangeEmployee(db, accountId, { id: EMPLOYEE, email: 'q@x.io', firstname, lastname });
  await account.state('question', [question(15)]);
  await account.decide(settingsOf(start.policy));
  await account.state('response', [factOf(start.text, 0)]);
  await backfillStages(pool, [stage], accountId);
  await db.query('update text.pending set attempts = $2 where account_id = $1', [accountId, start.attempts]);

  const work =
    (changed: Partial<typeof stage> = {}) =>
    () =>
      processBatch(pool, { ...stage, ...changed }, { account_id: accountId, answers: [0] }, log);
  const change = (policy: Policy | null) => async () => {
    await account.decide(settingsOf(policy));
    await failpoint('settings.changed');
    await backfillStages(pool, [stage], accountId);
  };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    mask: work(),
    again: work(),
    giveup: work({ perform: () => Promise.reject(new Error('cannot be masked')) }),
    correct: () => account.state('response', [factOf(CORRECTED, 1)]),
    clear: () => account.state('response', [factOf(null, 1)]),
    change: change('addresses'),
    off: change(null),
    retry: async () => retryText({ pool, wake: () => undefined })({ stage: 'mask' }, contextOf(accountId)),
    erase: async () => {
      await db.query(
        `with emptied as (
           update imports.employee set firstname = null, lastname = null where account_id = $1 and id = $2 returning id
         )
         insert into imports.erased_employee (account_id, employee_id, answers, erased_at, firstname, lastname, email)
         select $1, id, 'anonymise', now(), $3, $4, 'q@x.io' from emptied`,
        [accountId, EMPLOYEE, firstname, lastname],
      );
      return employeeErasureWork(pool, 'text', eraseEmployee(pool)).work(accountId);
    },
    delete: async () => {
      await db.query("update admin.account set closed_at = now() - interval '1 minute' where account_id = $1", [accountId]);
      await failpoint('deletion.closed');
      const { work: deleteRows } = accountDeletionWork(pool, 'text');
      while ((await deleteRows(accountId)) !== undefined);
    },
  };
  const untilClosed = (call: () => Promise<unknown>) => () =>
    call().catch((error: unknown) => {
      if (!(error instanceof AccountClosedError)) throw error;
    });
  const run = new ScheduleRun(
    steps,
    Object.fromEntries(Object.entries(calls).map(([actor, call]) => [actor, untilClosed(call)])),
  );
  onFailpoint((point) => run.reach(point));
  try {
    await run.runAll();
    run.end();
    await run.ended();
    const { text, mask, attempts, givenUp, planned } = ended;
    const expected = { text, mask, attempts, givenUp: givenUp !== null, planned };
    const found = await readWorld(accountId);
    return isDeepStrictEqual(found, expected) ? [] : [`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  } finally {
    run.end();
  }
}

async function readWorld(
  accountId: number,
): Promise<Pick<TextWorld, 'text' | 'mask' | 'attempts' | 'planned'> & { givenUp: boolean }> {
  const { rows } = await db.query<{ text: string | null; masked: string | null; policy: string | null; attempts: number | null }>(
    `select a.content as text, m.content as masked, m.policy::text, p.attempts
     from admin.account x left join text.answer a on a.account_id = x.account_id
     left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
     left join text.pending p on p.account_id = a.account_id and p.answer = a.id and p.stage = 'mask'
     where x.account_id = $1`,
    [accountId],
  );
  const { text, masked, policy, attempts } = rows[0] ?? { text: null, masked: null, policy: null, attempts: null };
  const backfill = await db.query<{ version: string | null }>(
    "select version from text.backfill where account_id = $1 and stage = 'mask'",
    [accountId],
  );
  const mask = masked === null ? null : { text: masked, policy: policyOf(policy) ?? 'names' };
  const givenUp = await db.query('select from text.given_up where account_id = $1', [accountId]);
  const planned = policyOf(backfill.rows[0]?.version?.split(' ')[0] ?? null);
  return { text, mask, attempts, givenUp: givenUp.rowCount === 1, planned };
}

function policyOf(stored: string | null): Policy | null {
  const isStored = (policy: Policy): boolean => {
    const masking = maskingOf({ masking_effect: 'on', masking_categories: CATEGORIES[policy] });
    return typeof masking !== 'string' && String(masking.policy) === stored;
  };
  return (['names', 'addresses'] as const).find(isStored) ?? null;
}

// SCHEDULE=mask/erase-7 runs one.
const { SCHEDULE } = process.env;

it.each(CASES)('ends as the model predicts in every order of the steps of $name', async (one) => {
  const wrong: string[] = [];
  for (const schedule of explore(one))
    if (SCHEDULE === undefined || SCHEDULE === schedule.name) wrong.push(...(await runTextSchedule(schedule, one.world)));
  expect(wrong).toEqual([]);
});

// A line of a statement, and what takes its place.
const ABLATIONS: readonly (readonly [keyof TextMechanisms, violation: string, line: string, replacement: string])[] = [
  ['masksOfText', 'a text has the mask of another', 'and a.content_version = f.content_version', ''],
  ['givenUpText', 'a new text is given up', 'and content_version = g.content_version', ''],
  ['erasedMasks', 'an erased name is shown', 'and c.masked is not null', 'and false'],
  ['closedAccount', 'a deleted account has rows', 'where admin.account_exists($1::bigint)', ''],
];

it.each(ABLATIONS)('goes wrong on PostgreSQL as in the model without %s', async (mechanism, violation, line, replacement) => {
  const ablated = { ...ALL, [mechanism]: false };
  expect(violationsOf(ablated)).toContain(violation);
  const harmful = textCases(ablated).flatMap((one) =>
    explore(one).flatMap((schedule) => (schedule.violations.includes(violation) ? [{ one, schedule }] : [])),
  );
  const query: unknown = Reflect.get(Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('expected a method');
  let replaced = 0;
  Client.prototype.query = function altered(this: Client, text: unknown, ...rest: unknown[]): unknown {
    if (typeof text !== 'string' || !text.includes(line)) return Reflect.apply(query, this, [text, ...rest]);
    replaced += 1;
    return Reflect.apply(query, this, [text.replace(line, replacement), ...rest]);
  } as typeof Client.prototype.query;
  try {
    for (const { one, schedule } of harmful) expect(await runTextSchedule(schedule, one.world)).toEqual([]);
  } finally {
    Reflect.set(Client.prototype, 'query', query);
  }
  expect(replaced).toBeGreaterThan(0);
});
