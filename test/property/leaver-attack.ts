// Attack A22: a small group answers in two cycles, one of them leaves in between, and a reader of
// both scores guesses what the leaver answered. No single block reveals it, so the disclosure guard
// permits both. The attacker knows how answers are distributed and how often people repeat theirs.

/** Probabilities of one to five stars in a company where most are content. */
export const STARS = [0.06, 0.1, 0.2, 0.4, 0.24] as const;
const REPEATED = 0.8;
const STEP = 100 / (STARS.length - 1);

/** The score as it would be returned, of 0 to 100. */
type Shown = (score: number) => number;

interface Leaver {
  /** Share of leavers whose answer the attacker names. */
  readonly named: number;
  /** Mean difference of the returned score from the exact one. */
  readonly error: number;
}

/** Computes the attack on a group of `size`, exactly: the attacker names the likeliest answer. */
export function attackLeaver(size: number, shown: Shown): Leaver {
  const chance = new Map<string, number[]>();
  let error = 0;
  const others = sumsOfOthers(size - 1);
  for (const [answer, share] of STARS.entries()) {
    for (const [first, row] of others.entries()) {
      for (const [second, probability] of row.entries()) {
        const before = (STEP * (first + answer)) / size;
        const seen = [shown(before), shown((STEP * second) / (size - 1))].join();
        const by = chance.get(seen) ?? STARS.map(() => 0);
        by[answer] = (by[answer] ?? 0) + share * probability;
        chance.set(seen, by);
        error += share * probability * Math.abs(shown(before) - before);
      }
    }
  }
  const named = [...chance.values()].reduce((sum, by) => sum + Math.max(...by), 0);
  return { named, error };
}

/** Probability of each pair of sums of the answers, 0 to 4 each, in the first and second cycle. */
function sumsOfOthers(people: number): number[][] {
  let sums = [[1]];
  for (let person = 1; person <= people; person += 1) {
    const length = 1 + person * (STARS.length - 1);
    const next = Array.from({ length }, () => Array<number>(length).fill(0));
    for (const [first, row] of sums.entries())
      for (const [second, probability] of row.entries())
        for (const [a, b, both] of answersOfOne()) {
          const target = next[first + a];
          if (target !== undefined) target[second + b] = (target[second + b] ?? 0) + probability * both;
        }
    sums = next;
  }
  return sums;
}

function answersOfOne(): [number, number, number][] {
  return STARS.flatMap((first, a) =>
    STARS.map((second, b): [number, number, number] => [a, b, first * ((a === b ? REPEATED : 0) + (1 - REPEATED) * second)]),
  );
}

/** Ruling Z36 would return this for fewer respondents than four times the threshold. */
export const coarse: Shown = (score) => Math.min(95, Math.max(5, 5 * Math.round(score / 5)));
export const exact: Shown = (score) => Math.round(100 * score) / 100;
