import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupsToldApart } from './text-attack.ts';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import { checkInParallel } from './parallel-property.ts';
import { createTextAccount, openTextDatabase, type TextAccount } from './text-database.ts';

const SEEDS = Number(process.env['GUARD_SEEDS'] ?? 2);
const database = await openTextDatabase();

const QUESTIONS = [15, 16];
// The last cycle stays open.
const CYCLES = [uuidOf(1), uuidOf(2), uuidOf(3)];
const SETTLED = CYCLES.slice(0, 2);
// Options of the filter attribute by employee; option 3 belongs to another attribute.
const OPTIONS = [[1], [1], [1, 3], [1], [1], [2], [2], [2, 3], [2], [1, 2], [1, 2], [], [3], [1], [2], [1, 2], [2], [1]];

interface Given {
  readonly employee: number;
  readonly cycle: number;
  readonly questions: readonly number[];
}

const given: fc.Arbitrary<Given> = fc.record({
  employee: fc.integer({ min: 1, max: OPTIONS.length }),
  cycle: fc.nat({ max: CYCLES.length - 1 }),
  questions: fc.subarray(QUESTIONS, { minLength: 1 }),
});
interface Case {
  readonly threshold: number;
  readonly first: readonly Given[];
  readonly late: readonly Given[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  threshold: fc.integer({ min: 3, max: 5 }),
  first: fc.array(given, { minLength: 25, maxLength: 60 }),
  late: fc.array(given, { maxLength: 15 }),
});

const some = (...ids: number[]) => ({ ids });
const CALLS = [undefined, some(1), some(2), some(1, 2)].flatMap((attribute_option_ids) =>
  [undefined, some(15), some(16)].flatMap((question_ids) =>
    [undefined, ...CYCLES.map((id) => ({ ids: [id] }))].map((survey_cycle_ids) => ({
      attribute_option_ids,
      question_ids,
      survey_cycle_ids,
    })),
  ),
);

const textOf = (n: number, question: number): string => `text ${n} ${question}`;
const settings = { effect: 'off', categories: ['email'], filterAttribute: 1 } as const;

async function createAccount(guard: 'off' | 'strict', threshold: number): Promise<TextAccount> {
  const account = await createTextAccount(database);
  await account.decide({ ...settings, guard });
  await account.state('survey', [survey(1, { text_threshold: threshold })]);
  await account.state(
    'question',
    QUESTIONS.map((id) => question(id, { survey_id: 1, type: 'textfield' })),
  );
  await account.bring(OPTIONS.map((optionIds, index) => ({ id: index + 1, importId: null, optionIds })));
  return account;
}

/** Adds responses, the first with this number, and makes the blocks. */
async function add(account: TextAccount, all: readonly Given[], from: number, thresholds = 'first'): Promise<void> {
  const facts = all.map(({ employee, cycle, questions }, index) => {
    const answers = questions.map((id) => ({ question_id: id, option_ids: [], text: textOf(from + index, id) }));
    return response(uuidOf(from + index), { employee: { id: employee }, cycle_id: CYCLES[cycle] ?? '', answers });
  });
  if (facts.length > 0) await account.state('response', facts);
  await account.settle(SETTLED, thresholds);
}

async function textsOf(account: TextAccount, call: (typeof CALLS)[number]): Promise<string[]> {
  const request = { survey_ids: undefined, ...call, limit: 1_000, offset: 0 };
  const page = (await account.ask(request)) as { total_count: number; responses: { text: string }[] };
  expect(page.total_count).toBe(page.responses.length);
  return page.responses.map(({ text }) => text).sort();
}

function authors(all: readonly Given[], from: number): [string, number][] {
  return all.flatMap(({ employee, questions }, index) =>
    questions.map((id): [string, number] => [textOf(from + index, id), employee]),
  );
}

async function attack(guard: 'off' | 'strict', { threshold, first, late }: Case) {
  const account = await createAccount(guard, threshold);
  const lists: string[][] = [];
  const askAll = async (): Promise<void> => {
    for (const call of CALLS) lists.push(await textsOf(account, call));
  };
  await add(account, first, 1);
  await askAll();
  await add(account, late, 100);
  await askAll();
  await account.state('survey', [survey(1, { text_threshold: threshold + 1 }, 1)]);
  await account.settle(SETTLED, 'raised');
  await askAll();
  await account.state('survey', [survey(1, { text_threshold: threshold }, 2)]);
  await account.settle(SETTLED, 'lowered');
  await askAll();
  await account.decide({ ...settings, effect: 'on', guard });
  await askAll();
  await account.mask(1);
  await account.settle(SETTLED, 'partly masked');
  await askAll();
  await account.mask(50);
  await account.settle(SETTLED, 'masked');
  await askAll();
  const authorOf = new Map([...authors(first, 1), ...authors(late, 100)]);
  return groupsToldApart(lists, (text) => authorOf.get(text) ?? 0);
}

it(
  'tells no texts of fewer respondents than the threshold apart by any calls [GUARD-TEXTS-1] [GUARD-TEXTS-2] [GUARD-TEXTS-3]',
  { timeout: 300_000 },
  async () => {
    let groups = 0;
    await checkInParallel(SEEDS, cases, async (each) => {
      const found = await attack('strict', each);
      expect(found.filter(({ size }) => size < each.threshold)).toEqual([]);
      groups += found.length;
    });
    expect(groups).toBeGreaterThan(SEEDS);
  },
);

it('tells single texts apart when the guard is off', async () => {
  const [sample] = fc.sample(cases, { numRuns: 1, seed: 7 });
  if (sample === undefined) throw new Error('expected a sample');
  const found = await attack('off', sample);
  expect(found.filter(({ size }) => size === 1).length).toBeGreaterThan(5);
});

const ALL = CALLS[0] ?? { attribute_option_ids: undefined, question_ids: undefined, survey_cycle_ids: undefined };
const filtered = (...ids: number[]) => ({ ...ALL, attribute_option_ids: { ids } });
// Employees 1 to 5 have option 1, 6 to 9 option 2, 10 and 11 both.
const write = (...employees: number[]): Given[] => employees.map((employee) => ({ employee, cycle: 0, questions: [15] }));
const texts = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => textOf(from + index, 15)).sort();

it('returns the blocks of which every group matches the filter [GUARD-TEXTS-2] [GUARD-TEXTS-3]', async () => {
  const account = await createAccount('strict', 4);
  await add(account, write(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1);
  expect(await textsOf(account, ALL)).toEqual(texts(1, 11));
  expect(await textsOf(account, filtered(1))).toEqual(texts(1, 5));
  // The two respondents with both options are too few, so the smallest other group joins them.
  expect(await textsOf(account, filtered(2))).toEqual(texts(6, 11));
});

it('releases late texts together, and only without a filter [GUARD-TEXTS-4]', async () => {
  const account = await createAccount('strict', 4);
  await add(account, write(1, 2, 3, 4), 1);
  await add(account, write(5, 6, 7), 10);
  expect(await textsOf(account, ALL)).toEqual(texts(1, 4));
  await add(account, write(8), 20);
  expect(await textsOf(account, ALL)).toHaveLength(8);
  expect(await textsOf(account, filtered(1, 2))).toEqual(texts(1, 4));
});

it('withholds a block when an erasure leaves too few respondents in it [GUARD-TEXTS-5]', async () => {
  const account = await createAccount('strict', 4);
  await add(account, write(1, 2, 3, 4, 5, 6, 7, 8, 9), 1);
  await account.erase(6, 'delete');
  expect(await textsOf(account, ALL)).toEqual(texts(1, 5));
  await account.erase(1, 'delete');
  expect(await textsOf(account, ALL)).toEqual(texts(2, 5));
});

it('withholds a changed text until it is in a block of late texts [GUARD-TEXTS-5]', async () => {
  const account = await createAccount('strict', 4);
  await add(account, write(1, 2, 3, 4, 5), 1);
  const answers = [{ question_id: 15, option_ids: [], text: 'changed' }];
  await account.state('response', [response(uuidOf(1), { employee: { id: 1 }, cycle_id: uuidOf(1), answers }, 1)]);
  await account.settle(SETTLED, 'first');
  expect(await textsOf(account, ALL)).toEqual(texts(2, 5));
});

it('withholds a block while one of its texts is not masked [GUARD-TEXTS-5]', async () => {
  const account = await createAccount('strict', 4);
  await add(account, write(1, 2, 3, 4, 5, 6, 7, 8, 9), 1);
  await account.decide({ ...settings, effect: 'on', guard: 'strict' });
  expect(await textsOf(account, ALL)).toEqual([]);
  await account.mask(50);
  expect(await textsOf(account, ALL)).toEqual(texts(1, 9));
});
