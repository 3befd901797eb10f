export interface AnswerOption {
  readonly id: number;
  readonly value: number;
  readonly is_maximum: boolean;
  readonly is_minimum: boolean;
  // False: who chooses it does not answer the question (rule SCORES-EDITS-2).
  readonly counts?: boolean | null | undefined;
}

/**
 * Converts the answers to a question into values from 0 to 1 (eNPS: -1 to 1), as integers over a
 * common denominator.
 */
export interface Scale {
  readonly denominator: number;
  // Undefined when the question has never had one of these options, or none of them counts: the
  // response does not answer it.
  numeratorOf(optionIds: readonly number[]): number | undefined;
}

const NPS = 'nps';
// Bounds of the Net Promoter Score (rule SCORES-VALUE-2).
const PROMOTER_FROM = 9;
const DETRACTOR_TO = 6;

// Keeps every sum of 9 million answers to a question exact. Beyond it (over about 17 options, or
// values with many digits), values are rounded once, to nine digits.
const MAX_DENOMINATOR = 1_000_000_000n;

const NOUGHT: Fraction = { numerator: 0n, denominator: 1n };
const ONE: Fraction = { numerator: 1n, denominator: 1n };

/**
 * Returns the scale of a question. The option flagged as minimum is worth 0, the one flagged as
 * maximum 1; other options are interpolated by their values (rule SCORES-VALUE-1).
 * Multiple and ranked select answers are worth the mean of their options; nps is 1 for promoters,
 * -1 for detractors. Options that were removed from the question have no flags; they are clamped.
 * Undefined when minimum and maximum are equal or not flagged (rule SCORES-VALUE-5).
 */
export function scaleOf(type: string, all: readonly AnswerOption[]): Scale | undefined {
  const options = all.filter(({ counts }) => counts !== false);
  const worthOf = type === NPS ? promoterWorth : flaggedWorth(options);
  if (worthOf === undefined) return undefined;
  const worths = options.map(({ id, value }) => [id, worthOf(value)] as const);
  const denominator = commonDenominator(worths.map(([, worth]) => worth));
  const numerators = new Map(worths.map(([id, worth]) => [id, roundToParts(worth, denominator)]));
  return { denominator: Number(denominator), numeratorOf: (optionIds) => meanNumerator(optionIds, numerators) };
}

function promoterWorth(value: number): Fraction {
  if (value >= PROMOTER_FROM) return ONE;
  return value <= DETRACTOR_TO ? { numerator: -1n, denominator: 1n } : NOUGHT;
}

// When several options are flagged, each is the best or the worst possible answer; values beyond
// them are clamped.
function flaggedWorth(options: readonly AnswerOption[]): ((value: number) => Fraction) | undefined {
  const ends = endsOf(options);
  if (ends === undefined) return undefined;
  const worst = fractionOf(ends.worst);
  const span = minus(fractionOf(ends.best), worst);
  return (value) => withinNoughtAndOne(divide(minus(fractionOf(value), worst), span));
}

function endsOf(options: readonly AnswerOption[]): { worst: number; best: number } | undefined {
  const best = options.filter((option) => option.is_maximum).map(({ value }) => value);
  const worst = options.filter((option) => option.is_minimum).map(({ value }) => value);
  if (best.length === 0 || worst.length === 0) return undefined;
  if (lowest(best) > highest(worst)) return { worst: highest(worst), best: lowest(best) };
  if (highest(best) < lowest(worst)) return { worst: lowest(worst), best: highest(best) };
  return undefined;
}

const lowest = (values: readonly number[]): number => values.reduce((least, value) => Math.min(least, value), Infinity);
const highest = (values: readonly number[]): number => values.reduce((maximum, value) => Math.max(maximum, value), -Infinity);

function withinNoughtAndOne(worth: Fraction): Fraction {
  // Stryker disable next-line EqualityOperator: equal at the limit
  if (worth.numerator < 0n) return NOUGHT;
  // Stryker disable next-line EqualityOperator: equal at the limit
  return worth.numerator > worth.denominator ? ONE : worth;
}

// One denominator for the worths of the options and for the mean of any number of them. The loop
// only ends early because a larger number is capped anyway.
function commonDenominator(worths: readonly Fraction[]): bigint {
  let common = worths.reduce((sofar, { denominator }) => leastCommonMultiple(sofar, denominator), 1n);
  let counts = 1n;
  for (let options = 2; options <= worths.length && common * counts <= MAX_DENOMINATOR; options += 1) {
    counts = leastCommonMultiple(counts, BigInt(options));
  }
  common *= counts;
  // Stryker disable next-line EqualityOperator: equal at the limit
  return common > MAX_DENOMINATOR ? MAX_DENOMINATOR : common;
}

function roundToParts({ numerator, denominator }: Fraction, parts: bigint): number {
  return Math.round(Number((1_000n * numerator * parts) / denominator) / 1_000);
}

function meanNumerator(optionIds: readonly number[], numerators: ReadonlyMap<number, number>): number | undefined {
  let sum = 0;
  let counted = 0;
  for (const id of optionIds) {
    const numerator = numerators.get(id);
    if (numerator === undefined) continue;
    sum += numerator;
    counted += 1;
  }
  return counted === 0 ? undefined : Math.round(sum / counted);
}

/** An exact rational number with a positive denominator. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Returns the decimal number as written: 0.1 is exactly 1/10, not the nearest binary number. */
function fractionOf(value: number): Fraction {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const digits = BigInt(whole + decimals);
  const power = Number(exponent) - decimals.length;
  // Stryker disable next-line EqualityOperator: equal at the limit
  return power < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-power) }
    : { numerator: digits * 10n ** BigInt(power), denominator: 1n };
}

function minus(a: Fraction, b: Fraction): Fraction {
  return {
    numerator: a.numerator * b.denominator - b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

/** Returns a / b in lowest terms. `b` must not be zero. */
function divide(a: Fraction, b: Fraction): Fraction {
  // Stryker disable next-line EqualityOperator: never zero
  const sign = b.numerator < 0n ? -1n : 1n;
  const numerator = sign * a.numerator * b.denominator;
  const denominator = sign * a.denominator * b.numerator;
  // Stryker disable next-line EqualityOperator: equal at the limit
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  return (a / greatestCommonDivisor(a, b)) * b;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
