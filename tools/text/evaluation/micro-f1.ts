import { seeded } from '../masking/random-ids.ts';

/** Numbers of labels of one text: chosen and right, chosen, and in the data. */
export interface Outcome {
  readonly right: number;
  readonly chosen: number;
  readonly present: number;
}

const DRAWS = 1_000;
const SEED = 1;

/**
 * Returns the micro-averaged F1 in percent with its 95 % interval: texts are drawn again with
 * replacement, so that labels of one text stay together.
 */
export function microF1(outcomes: readonly Outcome[]): string {
  const random = seeded(SEED);
  const drawn = Array.from({ length: DRAWS }, () =>
    f1(outcomes.map((outcome) => outcomes[Math.floor(random() * outcomes.length)] ?? outcome)),
  ).sort((one, other) => one - other);
  const [low = 0, high = 0] = [drawn[DRAWS * 0.025], drawn[DRAWS * 0.975]];
  return `${f1(outcomes).toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
}

/** Adds the outcomes of the same texts in several runs. */
export const added = (runs: readonly (readonly Outcome[])[]): Outcome[] =>
  (runs[0] ?? []).map((_, at) => {
    const sum = (of: (outcome: Outcome) => number): number => runs.reduce((all, run) => all + (run[at] ? of(run[at]) : 0), 0);
    return { right: sum(({ right }) => right), chosen: sum(({ chosen }) => chosen), present: sum(({ present }) => present) };
  });

function f1(outcomes: readonly Outcome[]): number {
  let [right, all] = [0, 0];
  for (const outcome of outcomes) {
    right += outcome.right;
    all += outcome.chosen + outcome.present;
  }
  return (200 * right) / Math.max(1, all);
}
