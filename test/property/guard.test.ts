import * as fc from 'fast-check';
import type { AnswerOption, Fact } from '@survey/proto/intake/v1/intake.ts';
import { expect, it } from 'vitest';
import { question } from '../support/facts.ts';
import { seededRandom } from '../support/random.ts';
import { optionId, optionsOf, scale } from '../support/scales.ts';
import {
  accountCreator,
  add,
  ask,
  askSegment,
  cases,
  closedAt,
  cycleFact,
  CYCLES,
  factOf,
  openedAt,
  QUESTIONS,
  setGuard,
  setThresholds,
  settle,
  STAFF,
  type Call,
  type Given,
  type SegmentCall,
  type Thresholds,
} from './guard-account.ts';
import { expectScore, GuardModel } from './guard-model.ts';
import { checkInParallel } from './parallel-property.ts';
import type { ScoringAccount } from './scoring-database.ts';

const createAccount = await accountCreator();
const SEEDS = Number(process.env['GUARD_SEEDS'] ?? 2);

const SETS = [[11], [12], [13], [11, 12], [11, 13], [12, 13], [11, 12, 13]];
const CALLS: readonly Call[] = SETS.flatMap((questionIds) =>
  CYCLES.flatMap((from) =>
    CYCLES.filter((to) => to >= from).flatMap((to) => [
      { questionIds, from: openedAt(from), to: closedAt(to) },
      // Bounds inside cycles.
      { questionIds, from: `2025-0${from}-09T00:00:00.000000Z`, to: `2025-0${to}-13T00:00:00.000000Z` },
    ]),
  ),
);

const SEGMENTS: readonly SegmentCall[] = [[11], [13], [11, 12], [11, 13]].flatMap((questionIds) =>
  [1, 3].flatMap((last) =>
    [undefined, [1], [1, 2]].flatMap((optionIds) =>
      [undefined, [1]].map((surveyIds) => ({ questionIds, first: 1, last, optionIds, surveyIds })),
    ),
  ),
);

async function askAll(account: ScoringAccount, segments = SEGMENTS) {
  const seen: Awaited<ReturnType<typeof ask>>[] = [];
  for (const call of CALLS) seen.push(await ask(account, call));
  for (const call of segments) seen.push(await askSegment(account, call));
  return seen;
}

// Rotates the answers of each block among its members, and changes all other answers.
function exchanged(all: readonly Given[], thresholds: Thresholds, shift: number): Given[] {
  const copies = all.map((each) => ({ ...each, stars: each.stars.map((value) => value && 1 + ((value + shift) % 5)) }));
  for (const { questionId, answers } of modelOf(all, thresholds).blocks) {
    for (const [position, { response }] of answers.entries()) {
      const stars = copies[response]?.stars ?? [];
      stars[QUESTIONS.indexOf(questionId)] = answers[(position + shift) % answers.length]?.value ?? 0;
    }
  }
  return copies;
}

function modelOf(all: readonly Given[], thresholds: Thresholds): GuardModel {
  const model = new GuardModel();
  model.settle(all, [1, 2, 3], thresholds, 1);
  return model;
}

it(
  `returns the scores of whole blocks, and equal ones when their members exchange answers and all other answers change [GUARD-CYCLES-1] [GUARD-BLOCKS-1] [GUARD-BLOCKS-2] [GUARD-SCORES-3] [GUARD-SEGMENTS-2] [GUARD-SEGMENTS-3]`,
  { timeout: 300_000 },
  async () => {
    let released = 0;
    await checkInParallel(SEEDS, cases, async ({ thresholds, all, shift }) => {
      const account = await createAccount(thresholds, 'strict', all);
      const model = modelOf(all, thresholds);
      for (const call of SEGMENTS) expectScore(await askSegment(account, call), model.score(call, thresholds));
      const before = await askAll(account);
      const after = await askAll(await createAccount(thresholds, 'strict', exchanged(all, thresholds, shift)));
      expect(after).toEqual(before);
      released += before.filter(({ suppressed }) => !suppressed).length;
    });
    expect(released).toBeGreaterThan(SEEDS);
  },
);

it('returns equal scores after members of blocks are erased in both ways [GUARD-BLOCKS-3] [DATA-ERASURE-2]', async () => {
  let released = 0;
  await checkInParallel(SEEDS, cases, async ({ thresholds, all, shift }) => {
    const account = await createAccount(thresholds, 'strict', all);
    const before = await askAll(account);
    await account.erase(shift, 'delete');
    await account.erase(shift + 1, 'anonymise');
    await settle(account);
    expect(await askAll(account)).toEqual(before);
    released += before.filter(({ suppressed }) => !suppressed).length;
  });
  expect(released).toBeGreaterThan(SEEDS);
});

const stars = (questionId: number, more: readonly AnswerOption[], revision: number) =>
  question(questionId, { survey_id: questionId === 13 ? 2 : 1, type: 'stars', answer_options: [...more] }, revision);

// Options are removed, come back, get other values and flags, and are said not to count; two remain
// flagged, so that there is a scale.
const edits = fc.array(
  fc.record({
    questionId: fc.constantFrom(...QUESTIONS),
    kept: fc.subarray([1, 2, 3, 4, 5], { minLength: 2 }),
    shift: fc.integer({ min: -3, max: 3 }),
    uncounted: fc.subarray([1, 2, 3, 4, 5]),
    revision: fc.integer({ min: 0, max: 9 }),
  }),
  { minLength: 1, maxLength: 12 },
);
type Edit = typeof edits extends fc.Arbitrary<(infer E)[]> ? E : never;

function edited({ questionId, kept, shift, uncounted, revision }: Edit, marks: boolean): Fact {
  const options = scale(questionId, { worst: kept[0] ?? 0, best: kept.at(-1) ?? 0 }, ...kept);
  const changed = options.map((option, n) => ({
    ...option,
    value: option.value + shift,
    counts: !marks || n === 0 || n === options.length - 1 || !uncounted.includes(kept[n] ?? 0),
  }));
  return stars(questionId, changed, revision);
}

const blocksOf = async ({ accountId, database }: ScoringAccount): Promise<unknown[]> => {
  const { rows } = await database.db.query('select * from scoring.block where account_id = $1 order by id', [accountId]);
  return rows;
};

it('keeps blocks and everybody in them through random edits of questions [SCORES-EDITS-1] [SCORES-EDITS-3]', async () => {
  let released = 0;
  await checkInParallel(SEEDS, fc.tuple(cases, edits), async ([{ thresholds, all }, changes]) => {
    const [guarded, open] = [await createAccount(thresholds, 'strict', all), await createAccount(thresholds, 'off', all)];
    const [blocks, before] = [await blocksOf(guarded), [await askAll(guarded), await askAll(open, [])]];
    for (const change of changes) {
      await guarded.state('question', [edited(change, true)]);
      await open.state('question', [edited(change, false)]);
    }
    await settle(guarded);
    expect((await blocksOf(guarded)).slice(0, blocks.length)).toEqual(blocks);
    const base = (scores: readonly { respondents: number; suppressed: boolean }[]) =>
      scores.map(({ respondents, suppressed }) => ({ respondents, suppressed }));
    expect([await askAll(guarded), await askAll(open, [])].map(base)).toEqual(before.map(base));
    released += before.flat().filter(({ suppressed }) => !suppressed).length;
  });
  expect(released).toBeGreaterThan(SEEDS);
});

it('counts an answer to a removed option with its last value, in any order of arrival [SCORES-EDITS-1]', async () => {
  const one = (value: number, n: number): Given => ({ employee: n, cycle: 1, day: 5, stars: [value, null, null] });
  const all = [1, 2, 4, 5, 5].map((value, index) => one(value, index + 1));
  const without = (value: number, flagged: { worst: number; best: number }, revision: number) =>
    stars(11, scale(11, flagged, ...[1, 2, 3, 4, 5].filter((each) => each !== value)), revision);
  for (const guard of ['off', 'strict'] as const) {
    const account = await createAccount([5, 5], guard, all);
    expect(await ask(account, FIRST)).toMatchObject({ score: 60, respondents: 5 });
    // 1 is worth as much as 2, the lowest option that is left.
    await account.state('question', [without(1, { worst: 2, best: 5 }, 3)]);
    expect(await ask(account, FIRST)).toMatchObject({ score: 53.33, respondents: 5 });
    // An older revision in which it was worth more, and a newer one of it that is still older.
    const worth = (value: number, revision: number) =>
      stars(
        11,
        optionsOf(11).map((option) => (option.id === optionId(11, 1) ? { ...option, value } : option)),
        revision,
      );
    await account.state('question', [worth(5, 2)]);
    expect(await ask(account, FIRST)).toMatchObject({ score: 73.33, respondents: 5 });
    await account.state('question', [worth(3.5, 1)]);
    expect(await ask(account, FIRST)).toMatchObject({ score: 73.33, respondents: 5 });
  }
});

it('keeps the last 10,000 options that were removed from a question', async () => {
  const account = await createAccount([5, 5], 'off', []);
  const values = Array.from({ length: 10_005 }, (_, index) => index);
  await account.state('question', [stars(11, scale(11, {}, ...values), 1), stars(11, optionsOf(11), 2)]);
  const { rows } = await account.database.db.query(
    'select jsonb_array_length(removed_options) as kept from scoring.question where account_id = $1 and id = 11',
    [account.accountId],
  );
  expect(rows).toEqual([{ kept: 10_000 }]);
});

it('fixes whether an option counts once a closed cycle has answers to it [SCORES-EDITS-2] [SCORES-EDITS-3]', async () => {
  const notApplicable = (counts: boolean | undefined, revision: number) =>
    stars(11, [...optionsOf(11), { id: 11_000, name: {}, value: 0, is_maximum: false, is_minimum: false, counts }], revision);
  for (const guard of ['off', 'strict'] as const) {
    const account = await createAccount([5, 5], guard, []);
    await account.state('question', [notApplicable(undefined, 1)]);
    expect(await account.state('question', [notApplicable(false, 2)])).toEqual([]);
    const six = everyone(1, 5)
      .slice(0, 6)
      .map(({ stars: [value = null], ...each }, n) => ({ ...each, stars: [n === 0 ? 0 : value, null, null] }));
    await add(account, six, 1);
    expect(await ask(account, FIRST)).toMatchObject({ score: 100, respondents: 5 });
    const refused = await account.state('question', [notApplicable(true, 3), stars(11, optionsOf(11), 4)]);
    expect(refused.map(({ reason }) => reason)).toEqual(['counts_fixed:11000']);
    expect(await ask(account, FIRST)).toMatchObject({ score: 100, respondents: 5 });
    // An answer in the open cycle fixes nothing.
    await add(account, [{ employee: 7, cycle: 4, day: 5, stars: [1, null, null] }], 50);
    expect(
      await account.state('question', [
        stars(
          11,
          optionsOf(11).map((o) => ({ ...o, counts: o.value !== 1 })),
          5,
        ),
      ]),
    ).toEqual([]);
  }
});

it('returns different scores after such an exchange when the guard is off', async () => {
  const [sample] = fc.sample(cases, { numRuns: 1, seed: 7 });
  if (sample === undefined) throw new Error('expected a sample');
  const { thresholds, all, shift } = sample;
  const before = await askAll(await createAccount(thresholds, 'off', all), []);
  const after = await askAll(await createAccount(thresholds, 'off', exchanged(all, thresholds, shift)), []);
  expect(after).not.toEqual(before);
});

// Everyone answers every question once in each of these cycles.
const everyone = (cycle: number, value: number): Given[] =>
  Array.from({ length: STAFF }, (_, index) => ({ employee: index + 1, cycle, day: 5, stars: [value, value, value] }));
const late = (cycle: number, employees: readonly number[], value: number): Given[] =>
  employees.map((employee) => ({ employee, cycle, day: 6, stars: [value, null, null] }));
const FIRST: Call = { questionIds: [11], from: openedAt(1), to: closedAt(1) };

it('returns the score of the same answers without the guard, rounding the respondents [GUARD-SCORES-1] [GUARD-SCORES-3]', async () => {
  const all = CYCLES.flatMap((n) => everyone(n, n));
  const [guarded, open] = [await createAccount([5, 6], 'strict', all), await createAccount([5, 6], 'off', all)];
  for (const questionIds of SETS) {
    const call = { questionIds, from: openedAt(1), to: closedAt(3) };
    const respondents = questionIds.includes(13) ? 12 : 10;
    expect(await ask(guarded, call)).toEqual({ ...(await ask(open, call)), respondents });
    expect(await ask(guarded, { ...call, to: '2025-03-19T00:00:00.000000Z' })).toMatchObject({ score: 12.5 });
  }
});

it('suppresses a score when one of its questions has no block [GUARD-SCORES-2]', async () => {
  const all = everyone(1, 3).map(({ stars, ...each }, index) => ({ ...each, stars: index === 0 ? stars : [3, null, null] }));
  const account = await createAccount([5, 5], 'strict', all);
  expect(await ask(account, FIRST)).toMatchObject({ score: 50 });
  expect(await ask(account, { ...FIRST, questionIds: [11, 12] })).toMatchObject({ suppressed: true, respondents: 0 });
});

it('counts nobody in a block whose options the question has never had [GUARD-BLOCKS-1] [SCORES-RESPONDENTS-2]', async () => {
  const all = late(1, [1, 2, 3, 4, 5], 9).map((each, index) => (index === 0 ? { ...each, stars: [5, null, null] } : each));
  for (const guard of ['off', 'strict'] as const)
    expect(await ask(await createAccount([5, 5], guard, all), FIRST)).toMatchObject({ suppressed: true });
});

it('releases late answers once they form a block, and never changes a block [GUARD-BLOCKS-3]', async () => {
  const account = await createAccount([5, 5], 'strict', everyone(1, 3));
  await add(account, late(1, [1, 2, 3, 4], 5), 100);
  // A correction, and a withdrawn answer.
  await account.state('response', [
    factOf({ employee: 1, cycle: 1, day: 5, stars: [1, 1, 1] }, 1, 1),
    factOf({ employee: 2, cycle: 1, day: 5, stars: [null, null, null] }, 2, 1),
  ]);
  await account.state('cycle', [cycleFact(1, false, 1)]);
  await settle(account);
  expect(await ask(account, FIRST)).toMatchObject({ score: 50 });
  await add(account, late(1, [5], 5), 200);
  expect(await ask(account, FIRST)).toMatchObject({ score: Math.round((100 * (14 * 50 + 5 * 100)) / 19) / 100 });
});

it('withholds blocks below a raised threshold, and makes blocks when it is lowered [GUARD-BLOCKS-4]', async () => {
  const account = await createAccount([5, 5], 'strict', late(1, [1, 2, 3, 4], 3));
  expect(await ask(account, FIRST)).toMatchObject({ suppressed: true });
  await setThresholds(account, [4, 5], 1);
  await settle(account);
  expect(await ask(account, FIRST)).toMatchObject({ score: 50, respondents: 4 });
  await setThresholds(account, [5, 5], 2);
  await settle(account);
  await add(account, late(1, [5], 5), 100);
  expect(await ask(account, FIRST)).toMatchObject({ suppressed: true });
});

it('keeps the blocks while the guard is off [GUARD-BLOCKS-3]', async () => {
  const account = await createAccount([5, 5], 'strict', everyone(1, 3));
  await setGuard(account, 'off', 2);
  await add(account, late(1, [1, 2, 3, 4, 5], 5), 100);
  await setGuard(account, 'strict', 3);
  expect(await ask(account, FIRST)).toMatchObject({ score: 50 });
});

it('returns the same scores for 300 calls in any order [GUARD-SCORES-1]', async () => {
  const [sample] = fc.sample(cases, { numRuns: 1, seed: 7 });
  if (sample === undefined) throw new Error('expected a sample');
  const account = await createAccount(sample.thresholds, 'strict', sample.all);
  const random = seededRandom(1);
  const first = new Map<number, unknown>();
  for (let calls = 0; calls < 300; calls += 1) {
    const index = Math.floor(random() * SEGMENTS.length);
    const [call] = SEGMENTS.slice(index);
    if (call === undefined) throw new Error('expected a call');
    const score = await askSegment(account, call);
    expect(score).toEqual(first.get(index) ?? score);
    first.set(index, score);
  }
  expect(first.size).toBeGreaterThan(SEGMENTS.length / 2);
});
