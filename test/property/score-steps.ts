import type { Fact, Question } from '@survey/proto/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import type { ModelQuery } from './score-model.ts';
import { optionId, scale } from '../support/scales.ts';

/** A change to an account, or a request. */
export type Step =
  | { readonly do: 'state'; readonly kind: 'survey' | 'question' | 'response'; readonly facts: readonly Fact[] }
  | { readonly do: 'bring'; readonly employee: { id: number; importId: string | null; optionIds: number[] } }
  | { readonly do: 'move'; readonly id: number; readonly optionIds: number[] }
  | { readonly do: 'erase'; readonly id: number; readonly answers: 'anonymise' | 'delete' }
  | { readonly do: 'ask'; readonly query: ModelQuery };

// Small domains, so that values collide.
const QUESTIONS: Readonly<Record<number, readonly number[]>> = {
  11: [1, 2, 3, 4, 5],
  12: [1, 2, 3, 4, 5],
  13: [0, 6, 7, 8, 9, 10],
  14: [0, 6, 9],
  15: [],
  19: [0, 1, 2, 3],
  21: [1, 2, 3],
};
const IDS = Object.keys(QUESTIONS).map(Number);
const NEIGHBOURS = [
  '2024-03-01T12:00:00.000000Z',
  '2024-03-01T12:00:00.000001Z',
  '2024-03-01T12:00:00.000002Z',
  '2024-03-01T12:00:01.000000Z',
  '2025-01-01T00:00:00.000000Z',
];

const revision = fc.integer({ min: 0, max: 2 });
const threshold = fc.constantFrom(null, 0, 1, 3, 4, 6);
const optionIds = fc.subarray([1, 2, 3]);

const surveyFact = fc.record({ id: fc.constantFrom(1, 2), threshold, revision }).map((drawn) => {
  return survey(drawn.id, { score_threshold: drawn.threshold }, drawn.revision);
});

const TYPES: Readonly<Record<number, string>> = {
  11: 'stars',
  12: 'stars',
  13: 'nps',
  14: 'nps',
  15: 'textfield',
  19: 'multiple_select',
};

// Mostly as in docs/rules/scores.md; a later revision may reverse a scale, flag nothing, remove an
// option at either end, or say that one does not count.
const VARIANTS = ['plain', 'plain', 'turned', 'unflagged', 'shorter', 'lower', 'uncounted'] as const;
const questionFact = fc
  .record({ id: fc.constantFrom(...IDS), variant: fc.constantFrom(...VARIANTS), revision })
  .map(({ id, variant, revision }) => {
    const values = [...(QUESTIONS[id] ?? [])].slice(variant === 'shorter' ? 1 : 0, variant === 'lower' ? -1 : undefined);
    const [low = 0, high = 0] = [values[0], values.at(-1)];
    const isTurned = (variant === 'turned') !== (id === 12);
    const flagged = variant === 'unflagged' ? {} : { worst: isTurned ? high : low, best: isTurned ? low : high };
    const more: Partial<Question> = { type: TYPES[id] ?? 'smiley_faces', survey_id: id === 21 ? 2 : 1 };
    const options = scale(id, flagged, ...values).map((option, index) =>
      variant === 'uncounted' && index === 1 ? { ...option, counts: false } : option,
    );
    return question(id, { ...more, answer_options: options }, revision);
  });

const employee = fc.oneof(
  fc.integer({ min: 1, max: 8 }).map((id) => ({ id })),
  fc.constantFrom({ import_id: 'E1' }, { import_id: 'E2' }),
);

const answer = fc.constantFrom(...IDS.filter((id) => id !== 15)).chain((id) =>
  fc.subarray([...(QUESTIONS[id] ?? [])], { minLength: 0, maxLength: id === 19 ? 4 : 1 }).map((values) => ({
    question_id: id,
    option_ids: values.map((value) => optionId(id, value)),
  })),
);

const responseFact = fc
  .record({
    n: fc.integer({ min: 1, max: 12 }),
    employee,
    submitted_at: fc.constantFrom(...NEIGHBOURS),
    survey_id: fc.constantFrom(1, 1, 2),
    answers: fc.uniqueArray(answer, { selector: ({ question_id }) => question_id, minLength: 2, maxLength: 6 }),
    revision,
  })
  .map(({ n, revision, ...more }) => response(uuidOf(n), more, revision));

const facts = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('response' as const),
      facts: fc.array(responseFact, { minLength: 1, maxLength: 10 }),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('question' as const),
      facts: fc.array(questionFact, { minLength: 1, maxLength: 4 }),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('survey' as const), facts: fc.array(surveyFact, { minLength: 1, maxLength: 2 }) }),
    weight: 1,
  },
);

const query: fc.Arbitrary<ModelQuery> = fc
  .record({
    questionIds: fc.oneof(
      { arbitrary: fc.subarray([11, 12, 19, 21], { minLength: 1 }), weight: 6 },
      { arbitrary: fc.subarray([13, 14], { minLength: 1 }), weight: 3 },
      { arbitrary: fc.subarray([...IDS, 99], { minLength: 1 }), weight: 1 },
    ),
    ends: fc.oneof(
      fc.constant([0, NEIGHBOURS.length - 1]),
      fc.tuple(fc.nat({ max: NEIGHBOURS.length - 1 }), fc.nat({ max: NEIGHBOURS.length - 1 })),
    ),
  })
  .map(({ ends: [one = 0, other = 0], ...rest }) => {
    const [from = '', to = ''] = [NEIGHBOURS[Math.min(one, other)], NEIGHBOURS[Math.max(one, other)]];
    return { ...rest, from, to };
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: facts.map((stated): Step => ({ do: 'state', ...stated })), weight: 5 },
  { arbitrary: query.map((query): Step => ({ do: 'ask', query })), weight: 5 },
  {
    arbitrary: fc.record({ id: fc.integer({ min: 1, max: 7 }), optionIds }).map((moved): Step => ({ do: 'move', ...moved })),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ id: fc.integer({ min: 1, max: 7 }), answers: fc.constantFrom('anonymise' as const, 'delete' as const) })
      .map((erased): Step => ({ do: 'erase', ...erased })),
    weight: 1,
  },
);

const arrivals: readonly Step[] = [
  { do: 'bring', employee: { id: 101, importId: 'E1', optionIds: [1] } },
  { do: 'bring', employee: { id: 102, importId: 'E2', optionIds: [2] } },
  // Employees who may have answered before.
  { do: 'bring', employee: { id: 8, importId: null, optionIds: [3] } },
];

/**
 * Steps of an account: mostly with its questions, with employees who arrive at any time or never.
 */
export const days: fc.Arbitrary<Step[]> = fc
  .record({
    start: fc.constantFrom(true, true, true, false),
    steps: fc.array(step, { minLength: 2, maxLength: 10 }),
    arrivals: fc.subarray([...arrivals]),
    place: fc.nat(),
  })
  .map(({ start, steps, arrivals, place }) => {
    const at = place % (steps.length + 1);
    return [...(start ? USUAL : []), ...steps.slice(0, at), ...arrivals, ...steps.slice(at)];
  });

const sampled = (arbitrary: fc.Arbitrary<Fact>, seed: number, numRuns: number): Fact[] =>
  fc.sample(arbitrary, { seed, numRuns }).map((fact) => ({ ...fact, revision: 0 }));

const USUAL: readonly Step[] = [
  { do: 'state', kind: 'survey', facts: [survey(1, { score_threshold: 3 }), survey(2, { score_threshold: 4 })] },
  { do: 'state', kind: 'question', facts: sampled(questionFact, 1, 60) },
  { do: 'state', kind: 'response', facts: sampled(responseFact, 2, 30) },
];
