/**
 * Totals of the answers to one question in the period; the mean of their values is sum / (count *
 * denominator).
 */
export interface QuestionTally {
  // Integers: the sum of the answers' numerators (rules/scale.ts), their denominator and their
  // count.
  readonly sum: number;
  readonly denominator: number;
  readonly count: number;
}

export interface Period {
  // Microseconds since 1970, both bounds inclusive.
  readonly fromUs: number;
  readonly toUs: number;
}

/** The inputs of a score. */
export interface ScoreInputs {
  readonly tallies: readonly QuestionTally[];
  // Distinct respondents of the tallied answers.
  readonly respondents: number;
}

/**
 * Returns the mean of the per-question means (rule SCORES-VALUE-3), in percent with two decimals;
 * halves are rounded away from zero, so -62.125 is -62.13.
 * Uses integers only, so the result depends on nothing but the answers. Questions without answers
 * are ignored.
 * @throws when no question has answers: such a score is never released
 */
export function scoreOf(tallies: readonly QuestionTally[]): number {
  const answered = tallies.filter(({ count }) => count > 0);
  if (answered.length === 0) throw new Error('cannot compute a score: no answers');
  let numerator = 0n;
  let denominator = 1n;
  for (const { sum, denominator: scale, count } of answered) {
    const parts = BigInt(scale) * BigInt(count);
    numerator = numerator * parts + BigInt(sum) * denominator;
    denominator *= parts;
  }
  // A mean of 1 is 100 %, or 10,000 hundredths of a percent.
  return Number(roundHalfAwayFromZero(10_000n * numerator, denominator * BigInt(answered.length))) / 100;
}

// Zero has no sign, so it does not matter on which side it is.
function roundHalfAwayFromZero(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * size + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}
