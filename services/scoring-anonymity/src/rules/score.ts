/** What the answers to one question inside the period add up to: the mean of their values is sum / (count * denominator). */
export interface QuestionTally {
  // Whole numbers all: the sum of the answers' numerators (rules/scale.ts), and how many answers there are.
  readonly sum: number;
  readonly denominator: number;
  readonly count: number;
}

/**
 * The mean of the per-question means (rule SCORES-VALUE-3), in percent with two decimals; a half is rounded away from zero, and so 62.125 is 62.13 and
 * -62.125 is -62.13. Computed with whole numbers alone, so the result depends on nothing but the answers. Questions without answers do not
 * take part. Throws when none has any: such a score is never released.
 */
export function scoreOf(tallies: readonly QuestionTally[]): number {
  const answered = tallies.filter(({ count }) => count > 0);
  if (answered.length === 0) throw new Error('a score of no answers');
  let numerator = 0n;
  let denominator = 1n;
  for (const { sum, denominator: scale, count } of answered) {
    const parts = BigInt(scale) * BigInt(count);
    numerator = numerator * parts + BigInt(sum) * denominator;
    denominator *= parts;
  }
  // A mean of 1 is 100 %, which is 10,000 hundredths.
  return Number(roundHalfAwayFromZero(10_000n * numerator, denominator * BigInt(answered.length))) / 100;
}

function roundHalfAwayFromZero(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * size + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}
