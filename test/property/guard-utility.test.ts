import { formsBlock } from '@survey/scoring-anonymity/rules/disclosure-guard.ts';
import { describe, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../support/random.ts';

const SEEDS = 10;
// Asked only of the leaders, who may be fewer than any threshold.
const OF_LEADERS = 6;

/** Answers of each employee to a question in a cycle. */
type Cell = ReadonlyMap<number, number>;

interface Survey {
  readonly threshold: number;
  // By question, then cycle.
  readonly cells: readonly (readonly Cell[])[];
}

interface Plan {
  readonly threshold: number;
  readonly cycles: number;
  readonly audience: readonly number[];
  // Share of the audience that takes part.
  readonly interest: number;
  // For each question the employees who are asked, and the share who answer.
  readonly questions: readonly { readonly asked?: ReadonlySet<number>; readonly share: number }[];
}

const same = (count: number): { share: number }[] => Array.from({ length: count }, () => ({ share: 1 }));

/**
 * Draws the surveys of an organisation: a monthly one with a question for few leaders and one that
 * most skip, a quarterly one for 40 % with threshold 9, a weekly one, and that of a team of nine.
 * One employee in a hundred answers a cycle several times.
 */
function drawSurveys(people: number, random: () => number): Survey[] {
  const everybody = Array.from({ length: people }, (_, employee) => employee);
  const some = (count: number): number[] => shuffled(everybody, random).slice(0, count);
  // Beta distributed with the parameters 5 and 2: the second largest of six.
  const keen = everybody.map(() => Array.from({ length: 6 }, random).toSorted((a, b) => a - b)[4] ?? 0);
  const isHeavy = everybody.map(() => random() < 0.01);
  const leaders = new Set(some(Math.min(8, Math.max(2, Math.floor(people / 12)))));
  const draw = ({ threshold, cycles, audience, interest, questions }: Plan): Survey => {
    const cells = questions.map(() => Array.from({ length: cycles }, () => new Map<number, number>()));
    for (let cycle = 0; cycle < cycles; cycle += 1)
      for (const employee of audience.filter((each) => random() < (keen[each] ?? 0) * interest)) {
        const responses = isHeavy[employee] === true ? 3 + Math.floor(random() * 6) : 1;
        for (let response = 0; response < responses; response += 1)
          for (const [question, { asked, share }] of questions.entries()) {
            if (asked?.has(employee) === false || random() > share || random() < 0.03) continue;
            const cell = cells[question]?.[cycle];
            cell?.set(employee, (cell.get(employee) ?? 0) + 1);
          }
      }
    return { threshold, cells };
  };
  const monthly = [...same(6), { asked: leaders, share: 1 }, { share: 0.3 }];
  return [
    { threshold: 5, cycles: 12, audience: everybody, interest: 1, questions: monthly },
    { threshold: 9, cycles: 4, audience: some(Math.max(6, Math.floor(0.4 * people))), interest: 1, questions: same(6) },
    { threshold: 5, cycles: 26, audience: everybody, interest: 0.35, questions: same(1) },
    { threshold: 5, cycles: 12, audience: some(9), interest: 1, questions: same(3) },
  ].map(draw);
}

/** Cells of a call, by question. */
type Call = readonly (readonly Cell[])[];

const respondentsOf = (cells: readonly Cell[]): number => new Set(cells.flatMap((cell) => [...cell.keys()])).size;

const byContract = (call: Call, threshold: number): boolean => respondentsOf(call.flat()) >= threshold;

function byGuard(call: Call, threshold: number): boolean {
  const blocks = call.map((cells) => cells.filter((cell) => formsBlock({ configuredThreshold: threshold, ...sizeOf(cell) })));
  return blocks.every((own) => own.length > 0) && byContract(blocks, threshold);
}

function sizeOf(cell: Cell): { respondents: number; answers: number; mostAnswers: number } {
  const answers = [...cell.values()];
  const sum = answers.reduce((all, each) => all + each, 0);
  return { respondents: cell.size, answers: sum, mostAnswers: Math.max(0, ...answers) };
}

const CALLS: Readonly<Record<string, (survey: Survey) => Call[]>> = {
  'a question and a cycle': ({ cells }) => cells.flatMap((cycles) => cycles.map((cell) => [[cell]])),
  'a question and three cycles': ({ cells }) =>
    cells.flatMap((cycles) => cycles.slice(0, -2).map((_, first) => [cycles.slice(first, first + 3)])),
  'a question and all time': ({ cells }) => cells.map((cycles) => [cycles]),
  'all questions and a cycle': ({ cells }) => {
    const asked = cells.filter((_, question) => question !== OF_LEADERS);
    return (cells[0] ?? []).map((_, cycle) => asked.map((cycles) => cycles.slice(cycle, cycle + 1)));
  },
};

/** Percent of the results by the contract that the guard returns, too. */
function percentKept(people: number, callsOf: (survey: Survey) => Call[]): number {
  const counts = { kept: 0, all: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1)
    for (const survey of drawSurveys(people, seededRandom(people * 100 + seed)))
      for (const call of callsOf(survey)) {
        if (!byContract(call, survey.threshold)) continue;
        counts.all += 1;
        if (byGuard(call, survey.threshold)) counts.kept += 1;
      }
  return (100 * counts.kept) / counts.all;
}

// Percent that the simulation of the design kept, less 2.
const LEAST: Readonly<Record<number, readonly number[]>> = { 20: [90, 90, 98, 70], 100: [94, 95, 98, 91], 500: [88, 91, 98, 85] };

describe.each(Object.entries(LEAST))('the guard returns, of the scores without it, for %s employees', (people, least) => {
  it.each(Object.entries(CALLS).map(([what, calls], index) => [least[index] ?? 0, what, calls] as const))(
    'at least %d % for %s [GUARD-BLOCKS-1]',
    (percent, _what, calls) => expect(percentKept(Number(people), calls)).toBeGreaterThanOrEqual(percent),
  );
});
