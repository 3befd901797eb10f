import { ApplicationError } from '@survey/rpc/application-error.ts';
import { expect, test } from 'vitest';
import { checkInParallel } from './parallel-property.ts';
import type { Newcomer } from './scoring-database.ts';
import { createTextAccount, openTextDatabase, type TextAccount } from './text-database.ts';
import { TextModel, type TextQuery } from './text-model.ts';
import { textDays, type TextStep } from './text-steps.ts';

const database = await openTextDatabase();

const SEEDS = Number(process.env['TEXT_SEEDS'] ?? 360);

test(`the free-text answers of ${SEEDS} random accounts are those of the model`, { timeout: 300_000 }, async () => {
  const seen = { released: 0, masked: 0, empty: 0, refused: 0 };
  await checkInParallel(SEEDS, textDays, async (steps) => {
    const account = await createTextAccount(database);
    const model = new TextModel();
    await account.bring(STAFF);
    for (const employee of STAFF) model.bring(employee);
    for (const step of steps) await perform(step, account, model, seen);
  });
  // A slow machine may run out of time before it runs out of seeds: what it has tried must have been of every kind.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
});

const STAFF: readonly Newcomer[] = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, importId: null, optionIds: [(id % 3) + 1] }));

type Seen = Record<'released' | 'masked' | 'empty' | 'refused', number>;

async function perform(step: TextStep, account: TextAccount, model: TextModel, seen: Seen): Promise<void> {
  switch (step.do) {
    case 'state':
      await account.state(step.kind, step.facts);
      return model.state(step.facts);
    case 'bring':
      await account.bring([step.employee]);
      return model.bring(step.employee);
    case 'move':
      for (const id of step.ids) {
        await account.move(id, step.optionIds);
        model.move(id, step.optionIds);
      }
      return;
    case 'decide':
      await account.decide(step.settings);
      return model.decide(step.settings);
    case 'mask':
      return mask(step.jobs, account, model, seen);
    case 'ask':
      return compare(step, account, model, seen);
  }
}

// Which answers a part of the jobs is about is the service's to say; that they needed it, and that no other mask is there, the model's.
async function mask(jobs: number, account: TextAccount, model: TextModel, seen: Seen): Promise<void> {
  const before = await account.masks();
  expect([...before.keys()].sort()).toEqual(model.maskedKeys.sort());
  await account.mask(jobs);
  const after = await account.masks();
  const made = [...after].filter(([key, policy]) => before.get(key) !== policy).map(([key]) => key);
  expect(model.maskable).toEqual(expect.arrayContaining(made));
  model.masked(made);
  seen.masked += made.length;
  if (jobs >= 50) expect(model.maskable.filter((key) => !model.isMasked(key))).toEqual([]);
}

async function compare(
  { query, limit, offset }: { query: TextQuery; limit: number; offset: number },
  account: TextAccount,
  model: TextModel,
  seen: Seen,
): Promise<void> {
  const released = model.ask(query);
  seen[released === '400' ? 'refused' : released.length === 0 ? 'empty' : 'released'] += 1;
  const expected = released === '400' ? '400' : await pageOf(released, limit, offset, account);
  const { surveyIds, cycleIds, questionIds, optionIds } = query;
  const idSet = (ids: readonly number[] | undefined) => ids && { ids: [...ids, ...ids] };
  const sets = { survey_ids: idSet(surveyIds), question_ids: idSet(questionIds), attribute_option_ids: idSet(optionIds) };
  const request = { ...sets, survey_cycle_ids: cycleIds && { ids: cycleIds.map((id) => id.toUpperCase()) }, limit, offset };
  // What followed the changes, the same again, and what is loaded anew.
  expect(await answerTo(account, request)).toEqual(expected);
  expect(await answerTo(account, request)).toEqual(expected);
  database.memory.drop(account.accountId);
  expect(await answerTo(account, request)).toEqual(expected);
}

async function pageOf(
  released: Exclude<ReturnType<TextModel['ask']>, '400'>,
  limit: number,
  offset: number,
  account: TextAccount,
): Promise<object> {
  const places = await account.places();
  const inOrder = released.toSorted((a, b) => ((places.get(a.key) ?? 0n) < (places.get(b.key) ?? 0n) ? -1 : 1));
  const responses = inOrder.slice(offset, offset + limit).map(({ text, topics }) => ({ text, topics }));
  return { total_count: released.length, responses };
}

async function answerTo(account: TextAccount, request: Parameters<TextAccount['ask']>[0]): Promise<unknown> {
  try {
    // Of this service's own making.
    const page = (await account.ask(request)) as { total_count: number; responses: { topics: { name: string }[] }[] };
    for (const { topics } of page.responses) topics.sort((a, b) => (a.name < b.name ? -1 : 1));
    return page;
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'invalid') return '400';
    throw error;
  }
}
