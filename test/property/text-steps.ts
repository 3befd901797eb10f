import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import type { Newcomer } from './scoring-database.ts';
import type { StoredSettings, TextKind } from './text-database.ts';
import type { TextQuery } from './text-model.ts';

/** A change to an account, or a request. */
export type TextStep =
  | { readonly do: 'state'; readonly kind: TextKind; readonly facts: readonly Fact[] }
  | { readonly do: 'bring'; readonly employee: Newcomer }
  | { readonly do: 'move'; readonly ids: number[]; readonly optionIds: number[] }
  | { readonly do: 'erase'; readonly id: number; readonly answers: 'anonymise' | 'delete' }
  | { readonly do: 'decide'; readonly settings: StoredSettings }
  | { readonly do: 'mask'; readonly jobs: number }
  | { readonly do: 'ask'; readonly query: TextQuery; readonly limit: number; readonly offset: number };

// Small domains, so that values collide.
const CYCLES = [uuidOf(901), uuidOf(902), uuidOf(903)];
const QUESTIONS = [15, 16, 25, 11];
const TEXTS = ['the canteen is fine', 'ask p1@example.com', 'the tools, and p2@example.com about them', '  ', ''];
const revision = fc.integer({ min: 0, max: 2 });
const some = <T>(...values: T[]) => fc.constantFrom(...values);

const surveyFact = fc
  .record({ id: some(1, 2), text_threshold: some(null, 0, 1, 3, 4), revision })
  .map(({ id, text_threshold, revision }) => survey(id, { text_threshold }, revision));

const questionFact = fc
  .record({ id: some(...QUESTIONS), isText: some(true, true, true, false), revision })
  .map(({ id, isText, revision }) => question(id, { type: isText && id !== 11 ? 'textfield' : 'stars' }, revision));

// Mostly the same employee for the same response.
const employee = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 4 },
  { arbitrary: fc.integer({ min: 1, max: 8 }).map((id) => ({ id })), weight: 1 },
  { arbitrary: some({ import_id: 'E1' }, { import_id: 'E2' }), weight: 1 },
);

const responseFact = fc
  .record({
    n: fc.integer({ min: 1, max: 14 }),
    employee,
    imported: some(false, false, false, true),
    place: some([1, 0], [1, 0], [1, 1], [2, 2], [2, 0]),
    texts: fc.uniqueArray(fc.tuple(some(...QUESTIONS), some(...TEXTS)), { selector: ([id]) => id, maxLength: 3 }),
    revision,
  })
  .map(({ n, employee = { id: (n % 7) + 1 }, imported, place: [survey_id = 1, cycle = 0], texts, revision }) => {
    const answers = texts.map(([question_id, text]) => ({ question_id, option_ids: [], text }));
    return response(uuidOf(n), { employee, imported, survey_id, cycle_id: CYCLES[cycle] ?? '', answers }, revision);
  });

const topicName = some('Pay', 'PAY', 'pay ', 'Team');

const topicFact = fc
  .record({ name: topicName, revision })
  .map(({ name, revision }): Fact => ({ revision, line: 0, topic: { name, description: null, keywords: {} } }));

const assignmentFact = fc
  .record({
    n: fc.integer({ min: 1, max: 14 }),
    question_id: some(15, 16),
    topic: topicName,
    sentiment: some(null, 'positive', 'neutral'),
    removed: some(false, false, true),
    revision,
  })
  .map(({ n, revision, ...rest }): Fact => ({ revision, line: 0, topic_assignment: { response_id: uuidOf(n), ...rest } }));

const stated = (kind: TextKind, fact: fc.Arbitrary<Fact>, weight: number) => ({
  arbitrary: fc.array(fact, { minLength: 1, maxLength: 8 }).map((facts): TextStep => ({ do: 'state', kind, facts })),
  weight,
});

const settings = fc.record({
  effect: some<StoredSettings['effect']>('off', 'on', 'on', 'on', 'without_effect', 'withheld'),
  categories: some(['email'], ['email', 'name'], ['phone']),
  filterAttribute: some(null, 1, 1, 2),
});

const query = fc.record(
  {
    surveyIds: fc.subarray([1, 2, 3], { minLength: 1 }),
    cycleIds: fc.subarray(CYCLES, { minLength: 1 }),
    questionIds: fc.subarray(QUESTIONS, { minLength: 1 }),
    optionIds: some([1], [2], [1, 2], [3], [1, 3]),
  },
  { requiredKeys: [] },
);

const ask = fc
  .record({
    query: fc.oneof(fc.constant({}), some({ optionIds: [1] }, { optionIds: [2] }, { optionIds: [1, 2] }), query),
    limit: some(1_000, 1_000, 3, 0),
    offset: some(0, 0, 1, 4),
  })
  .map((asked): TextStep => ({ do: 'ask', ...asked }));

const step: fc.Arbitrary<TextStep> = fc.oneof(
  stated('response', responseFact, 6),
  stated('question', questionFact, 1),
  stated('survey', surveyFact, 1),
  stated('topic', topicFact, 1),
  stated('topic_assignment', assignmentFact, 2),
  { arbitrary: settings.map((settings): TextStep => ({ do: 'decide', settings })), weight: 3 },
  { arbitrary: some(1, 2, 50).map((jobs): TextStep => ({ do: 'mask', jobs })), weight: 4 },
  {
    arbitrary: fc
      .record({ ids: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 3 }), optionIds: fc.subarray([1, 2, 3]) })
      .map((moved): TextStep => ({ do: 'move', ...moved })),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({ id: fc.integer({ min: 1, max: 7 }), answers: fc.constantFrom('anonymise' as const, 'delete' as const) })
      .map((erased): TextStep => ({ do: 'erase', ...erased })),
    weight: 1,
  },
  { arbitrary: ask, weight: 8 },
);

const arrivals: readonly TextStep[] = [
  { do: 'bring', employee: { id: 101, importId: 'E1', optionIds: [1] } },
  { do: 'bring', employee: { id: 102, importId: 'E2', optionIds: [2, 3] } },
  // Employees who may have answered before.
  { do: 'bring', employee: { id: 8, importId: null, optionIds: [2] } },
];

const sampled = (arbitrary: fc.Arbitrary<Fact>, seed: number, numRuns: number): Fact[] =>
  fc.sample(arbitrary, { seed, numRuns }).map((fact) => ({ ...fact, revision: 0 }));

const USUAL: readonly TextStep[] = [
  { do: 'state', kind: 'survey', facts: [survey(1, { text_threshold: 3 }), survey(2, { text_threshold: 3 })] },
  { do: 'state', kind: 'question', facts: QUESTIONS.map((id) => question(id, id === 11 ? { type: 'stars' } : {})) },
  { do: 'decide', settings: { effect: 'off', categories: ['email'], filterAttribute: 1 } },
  { do: 'state', kind: 'response', facts: sampled(responseFact, 3, 40) },
  { do: 'state', kind: 'topic', facts: sampled(topicFact, 4, 8) },
  { do: 'state', kind: 'topic_assignment', facts: sampled(assignmentFact, 5, 40) },
];

/**
 * Steps of an account: mostly with its questions, with employees who arrive at any time or never.
 */
export const textDays: fc.Arbitrary<TextStep[]> = fc
  .record({
    start: some(true, true, true, false),
    steps: fc.array(step, { minLength: 3, maxLength: 14 }),
    arrivals: fc.subarray([...arrivals]),
    place: fc.nat(),
    last: ask,
  })
  .map(({ start, steps, arrivals, place, last }) => {
    const at = place % (steps.length + 1);
    return [...(start ? USUAL : []), ...steps.slice(0, at), ...arrivals, ...steps.slice(at), last];
  });
