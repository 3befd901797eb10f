import { expect } from 'vitest';
import { uuidOf } from '../support/facts.ts';
import {
  ATTRIBUTES,
  OPTIONS,
  QUESTIONS,
  STAFF,
  surveyOf,
  type askSegment,
  type Given,
  type SegmentCall,
  type Thresholds,
} from './guard-account.ts';

interface Answer {
  // Index of its response.
  readonly response: number;
  readonly employee: number;
  readonly value: number;
}

interface Block {
  readonly questionId: number;
  readonly cycle: number;
  readonly answers: readonly Answer[];
  readonly groups: readonly (readonly number[])[];
  // Index of the first response that is in no earlier block.
  readonly next: number;
}

interface ModelScore {
  readonly score: number | null;
  readonly respondents: number;
  // By cycle: assigned, respondents.
  readonly participation: ReadonlyMap<number, readonly [number, number]>;
}

export const thresholdOf = (questionId: number, [first, second]: Thresholds): number => (questionId === 13 ? second : first);

/** The blocks of an account by the text of docs/rules/guard.md. Blocks are only ever added. */
export class GuardModel {
  readonly blocks: Block[] = [];
  // The filter attribute when each cycle settled.
  readonly #attributes = new Map<number, number | undefined>();

  /** Makes the blocks of the settled cycles. Responses are in the order of their arrival. */
  settle(all: readonly Given[], cycles: Iterable<number>, thresholds: Thresholds, attribute: number | undefined): void {
    for (const cycle of cycles) {
      if (!this.#attributes.has(cycle)) this.#attributes.set(cycle, attribute);
      for (const [index, questionId] of QUESTIONS.entries()) {
        const earlier = this.blocks.filter((block) => block.questionId === questionId && block.cycle === cycle);
        const from = Math.max(0, ...earlier.map(({ next }) => next));
        const free = all.flatMap(({ employee, stars, ...each }, response): Answer[] => {
          const value = stars[index];
          return each.cycle !== cycle || response < from || value == null ? [] : [{ response, employee, value }];
        });
        const groupOf = (employee: number): readonly number[] => (earlier.length > 0 ? [] : optionsOf(employee, attribute));
        for (const answers of divide(free, thresholdOf(questionId, thresholds), groupOf)) {
          const groups = answers.map(({ employee }) => groupOf(employee));
          this.blocks.push({ questionId, cycle, answers, groups, next: all.length });
        }
      }
    }
  }

  score({ questionIds, first, last, surveyIds, optionIds }: SegmentCall, thresholds: Thresholds): ModelScore {
    const has = (group: readonly number[]): boolean => optionIds === undefined || optionIds.some((id) => group.includes(id));
    const used = questionIds.map((id) =>
      this.blocks.filter(({ questionId, cycle, answers, groups }) => {
        const isAsked = questionId === id && cycle >= first && cycle <= last && (surveyIds?.includes(surveyOf(cycle)) ?? true);
        return isAsked && groups.every(has) && countEmployees(answers) >= thresholdOf(id, thresholds);
      }),
    );
    const strictest = Math.max(...questionIds.map((id) => thresholdOf(id, thresholds)));
    const down = (count: number): number => Math.floor(count / strictest) * strictest;
    const respondents = countEmployees(used.flat().flatMap(({ answers }) => answers));
    if (used.some(({ length }) => length === 0) || respondents < strictest)
      return { score: null, respondents: 0, participation: new Map() };
    const means = used.map((blocks) => mean(blocks.flatMap(({ answers }) => answers.map(({ value }) => 25 * (value - 1)))));
    const participation = [...Map.groupBy(used.flat(), ({ cycle }) => cycle)].flatMap(([cycle, blocks]) => {
      const counts = [
        assignedTo(cycle, this.#attributes.get(cycle), has),
        countEmployees(blocks.flatMap(({ answers }) => answers)),
      ].map(down);
      const [assigned = 0, respondents = 0] = counts;
      return Math.min(assigned, respondents) === 0 ? [] : [[cycle, [assigned, respondents]] as const];
    });
    return { score: mean(means), respondents: down(respondents), participation: new Map(participation) };
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const countEmployees = (answers: readonly Answer[]): number => new Set(answers.map(({ employee }) => employee)).size;

function optionsOf(employee: number, attribute: number | undefined): readonly number[] {
  return (OPTIONS[employee - 1] ?? []).filter((id) => attribute !== undefined && ATTRIBUTES[attribute]?.includes(id));
}

function assignedTo(cycle: number, attribute: number | undefined, has: (group: readonly number[]) => boolean): number {
  const staff = Array.from({ length: STAFF }, (_, index) => optionsOf(index + 1, attribute));
  return surveyOf(cycle) === 1 ? staff.filter(has).length : 0;
}

function isBlock(answers: readonly Answer[], needed: number): boolean {
  const own = [...Map.groupBy(answers, ({ employee }) => employee).values()].map(({ length }) => length);
  return own.length >= needed && Math.max(...own) * 3 <= answers.length;
}

// Rule GUARD-TEXTS-2; of groups of equal size, the one with the lowest option joins first.
function divide(
  answers: readonly Answer[],
  needed: number,
  groupOf: (employee: number) => readonly number[],
): (readonly Answer[])[] {
  if (answers.length === 0 || !isBlock(answers, needed)) return [];
  const groups = [...Map.groupBy(answers, ({ employee }) => groupOf(employee).join()).values()].sort(
    (a, b) => countEmployees(a) - countEmployees(b) || compare(groupOf(a[0]?.employee ?? 0), groupOf(b[0]?.employee ?? 0)),
  );
  const large = groups.filter((group) => isBlock(group, needed));
  let rest = groups.filter((group) => !isBlock(group, needed)).flat();
  while (rest.length > 0 && !isBlock(rest, needed)) rest = [...rest, ...(large.shift() ?? [])];
  return rest.length > 0 ? [...large, rest] : large;
}

function compare(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || a.length - b.length;
}

/** Compares a score with that of the model, which has rounding errors. */
export function expectScore(seen: Awaited<ReturnType<typeof askSegment>>, expected: ModelScore): void {
  const participation = 'participation' in seen ? seen.participation : [];
  const counts = participation.map(({ cycleId, assigned, respondents }) => [cycleId, [assigned, respondents]] as const);
  const wanted = [...expected.participation].map(([cycle, numbers]) => [uuidOf(cycle), numbers] as const);
  expect(new Map(counts)).toEqual(new Map(wanted));
  expect([seen.respondents, seen.score === null]).toEqual([expected.respondents, expected.score === null]);
  expect(Math.abs((seen.score ?? 0) - (expected.score ?? 0))).toBeLessThan(0.0051);
}
