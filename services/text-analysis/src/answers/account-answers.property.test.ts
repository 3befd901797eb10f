import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Masking } from '../rules/masking-policy.ts';
import { AccountAnswers, type Scope } from './account-answers.ts';
import type { AnswerRow } from './account-snapshot.ts';

const SURVEYS = [1, 1, 2];
const CYCLES = SURVEYS.map((surveyId, index) => ({ cycleId: `c${index}`, surveyId }));
const OPTION_SETS = [[1], [1, 2], [3], []];
const TEXT_QUESTIONS = [15, 16];
// Of a call that began when nothing was cached, whatever others have added since.
const NOTHING = { cycles: 0, optionSets: 0, blocks: 0 };

// Sort keys are unique per account; an answer that has changed is delivered again in its new state.
const row: fc.Arbitrary<AnswerRow> = fc
  .record({
    id: fc.nat({ max: 30 }),
    questionId: fc.constantFrom(15, 16, 11),
    cycle: fc.nat({ max: 2 }),
    respondent: fc.nat({ max: 5 }),
    optionSet: fc.integer({ min: -1, max: 3 }),
    block: fc.integer({ min: -1, max: 3 }),
    imported: fc.boolean(),
    policy: fc.constantFrom(0, 7, 8),
    gone: fc.boolean(),
    withheld: fc.boolean(),
  })
  .map((drawn) => ({ ...drawn, sortKey: placeOf(drawn.id) }));

const placeOf = (id: number): bigint => ((BigInt(id) * 6_364_136_223_846_793_005n) % 2n ** 62n) - 2n ** 61n;

const subset = <T>(...values: T[]) =>
  fc.option(
    fc.subarray(values, { minLength: 1 }).map((some) => new Set(some)),
    { nil: undefined },
  );
const scope: fc.Arbitrary<Scope> = fc.record({
  surveyIds: subset(1, 2),
  cycleIds: subset('c0', 'c1', 'c2'),
  questionIds: subset(15, 16, 11),
  optionIds: subset(1, 2, 3),
});
const masking = fc.constantFrom<Masking>('verbatim', 'withheld', { policy: 7 }, { policy: 9 });

function expected(rows: ReadonlyMap<number, AnswerRow>, asked: Scope, by: Masking): AnswerRow[] {
  const { surveyIds, cycleIds, questionIds, optionIds } = asked;
  return [...rows.values()]
    .filter(({ gone, withheld, imported, policy, questionId, cycle, optionSet }) => {
      const isOut = by === 'verbatim' || (by !== 'withheld' && (withheld || imported || policy === by.policy));
      const { cycleId = '', surveyId = 0 } = CYCLES[cycle] ?? {};
      return (
        !gone &&
        isOut &&
        TEXT_QUESTIONS.includes(questionId) &&
        (questionIds?.has(questionId) ?? true) &&
        (surveyIds?.has(surveyId) ?? true) &&
        (cycleIds?.has(cycleId) ?? true) &&
        (optionIds === undefined || (OPTION_SETS[optionSet] ?? []).some((id) => optionIds.has(id)))
      );
    })
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));
}

test('selects, counts and releases like a scan over all answers, after any sequence of changes [TEXTS-WITHHELD-1]', () => {
  const property = fc.property(
    fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 6 }),
    scope,
    masking,
    fc.subarray([0, 1, 2]),
    (batches, asked, by, released) => {
      const answers = new AccountAnswers(1);
      const rows = new Map<number, AnswerRow>();
      const ordinals = { known: NOTHING, cycles: CYCLES, optionSets: OPTION_SETS, blocks: [] };
      for (const [index, batch] of [[], ...batches].entries()) {
        const last = [...new Map(batch.map((one) => [one.id, one])).values()];
        for (const one of last) rows.set(one.id, one);
        answers.follow({ ...ordinals, textQuestionIds: TEXT_QUESTIONS, respondents: 6, sequence: index + 1, rows: last });
        // Reading between changes fills the cached selections, which the next change must drop.
        answers.select(asked, by, 'cycles');
      }
      const all = expected(rows, asked, by);
      const selection = answers.select(asked, by, 'cycles');
      const counts = CYCLES.flatMap(({ cycleId, surveyId }, unit) => {
        if (asked.cycleIds?.has(cycleId) === false || asked.surveyIds?.has(surveyId) === false) return [];
        const of = all.filter(({ cycle }) => cycle === unit);
        return [{ unit, answers: of.length, respondents: new Set(of.map(({ respondent }) => respondent)).size }];
      });
      expect(selection.counts).toEqual(counts);
      const [hidden, shown] = [true, false].map((is) =>
        all.filter(({ cycle, withheld }) => released.includes(cycle) && withheld === is).map(({ id }) => id),
      );
      const { ids, withheldIds } = selection.in(released);
      expect([...ids]).toEqual(shown);
      expect(withheldIds).toEqual(hidden);
    },
  );
  fc.assert(property, { numRuns: 1_000 });
});

test('rejects two answers that share a sort key', () => {
  const answers = new AccountAnswers(1);
  const one = {
    questionId: 15,
    cycle: 0,
    respondent: 0,
    optionSet: 0,
    block: -1,
    imported: false,
    policy: 0,
    gone: false,
    withheld: false,
    sortKey: 5n,
  };
  const changes = { textQuestionIds: [15], respondents: 1, known: NOTHING, cycles: CYCLES, optionSets: OPTION_SETS, blocks: [] };
  answers.follow({ ...changes, sequence: 1, rows: [{ ...one, id: 0 }] });
  expect(() => answers.follow({ ...changes, sequence: 2, rows: [{ ...one, id: 1 }] })).toThrow('sort key used twice');
});

test('answers of 200,000 cycles and blocks are read and released', () => {
  const ordinals = Array.from({ length: 200_000 }, (_, ordinal) => ordinal);
  const cycles = ordinals.map((ordinal) => ({ cycleId: String(ordinal), surveyId: 1 }));
  const blocks = ordinals.map((cycle) => ({ cycle, questionId: 1, optionGroups: [] }));
  const answers = new AccountAnswers(0);
  answers.follow({ sequence: 1, known: NOTHING, cycles, blocks, optionSets: [], textQuestionIds: [1], respondents: 0, rows: [] });
  const scope = { surveyIds: undefined, cycleIds: undefined, questionIds: undefined, optionIds: undefined };
  for (const kind of ['cycles', 'blocks'] as const)
    expect(answers.select(scope, 'verbatim', kind).in(ordinals).ids).toHaveLength(0);
});
