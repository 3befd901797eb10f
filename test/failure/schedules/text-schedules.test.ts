import { isDeepStrictEqual } from 'node:util';
import { inAccount } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { createLog } from '@survey/process/log.ts';
import { maskStage } from '@survey/text-analysis/masking/mask-stage.ts';
import { loadRoster } from '@survey/text-analysis/masking/roster.ts';
import { maskingOf } from '@survey/text-analysis/rules/masking-policy.ts';
import { backfillStages } from '@survey/text-analysis/stages/backfill.ts';
import { processBatch } from '@survey/text-analysis/stages/process-batch.ts';
import { retryText } from '@survey/text-analysis/stages/requeue-answers.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { expect, it } from 'vitest';
import { contextOf, createTextAccount, openTextDatabase, type StoredSettings } from '../../property/text-database.ts';
import { question } from '../../support/facts.ts';
import { explore, selected, type Schedule } from './explore.ts';
import { arrangePeople, deleteAccount, erase, factOf, runSteps, withReplacedLine } from './run-text-schedule.ts';
import { CORRECTED, textCases, type Policy, type TextMechanisms, type TextWorld } from './text-model.ts';

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

const settingsOf = (policy: Policy | null): StoredSettings => ({
  effect: policy === null ? 'off' : 'on',
  categories: CATEGORIES[policy ?? 'names'],
  filterAttribute: null,
});

/** Runs a schedule on an account of its own. Returns what differs from the model. */
async function runTextSchedule({ name, steps, ended }: Schedule<TextWorld>, start: TextWorld): Promise<string[]> {
  const account = await createTextAccount(database);
  const { accountId } = account;
  await arrangePeople(database, accountId);
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
    erase: () => erase(database, accountId),
    delete: () => deleteAccount(database, accountId),
  };
  try {
    await runSteps(steps, calls);
    const { text, mask, attempts, givenUp, planned } = ended;
    const expected = { text, mask, attempts, givenUp: givenUp !== null, planned };
    const found = await readWorld(accountId);
    return isDeepStrictEqual(found, expected) ? [] : [`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
  } catch (error) {
    return [`${name}: ${String(error)}`];
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

it.each(CASES)('ends as the model predicts, whatever the order of the steps of $name', async (one) => {
  const wrong: string[] = [];
  for (const schedule of selected(explore(one))) wrong.push(...(await runTextSchedule(schedule, one.world)));
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
  const replaced = await withReplacedLine(line, replacement, async () => {
    for (const { one, schedule } of harmful) expect(await runTextSchedule(schedule, one.world)).toEqual([]);
  });
  expect(replaced).toBeGreaterThan(0);
});
