/** The result of one call of the attacker. */
export interface Observation {
  // Null when the score was suppressed.
  readonly score: number | null;
  readonly respondents: number;
}

/** Reads the score of one question in a window. Undefined when the budget of calls is used up. */
export type Ask = (fromUs: number, toUs: number) => Promise<Observation | undefined>;

interface Recovered {
  // Window in which the answer was submitted: after `from`, up to `to`.
  readonly afterUs: number;
  readonly untilUs: number;
  // 0 to 100.
  readonly value: number;
}

interface Stretch {
  readonly afterUs: number;
  readonly untilUs: number;
  readonly before: Observation;
  readonly through: Observation;
}

/**
 * Recovers single answers by comparing windows, without prior knowledge. It halves the time until
 * two windows differ by one answer, and subtracts their sums. When a preceding window is
 * suppressed, the following one is used. Every call is permitted by the contract (rule
 * SCORES-THRESHOLD-5).
 */
export async function recoverAnswers(ask: Ask, fromUs: number, toUs: number): Promise<Recovered[]> {
  const recovered: Recovered[] = [];
  const whole = await ask(fromUs, toUs);
  if (whole === undefined) return recovered;
  const nobody: Observation = { score: null, respondents: 0 };
  const stretches: Stretch[] = [{ afterUs: fromUs - 1, untilUs: toUs, before: nobody, through: whole }];
  // Largest first: it yields most answers per call.
  for (let next = takeFullest(stretches); next !== undefined; next = takeFullest(stretches)) {
    if (answersIn(next) === 1) {
      const value = await differenceOf(next, ask, toUs);
      if (value !== undefined) recovered.push({ afterUs: next.afterUs, untilUs: next.untilUs, value });
      continue;
    }
    const middleUs = Math.floor((next.afterUs + next.untilUs) / 2);
    const middle = middleUs === next.afterUs ? undefined : await ask(fromUs, middleUs);
    if (middle === undefined) continue;
    const halves = [
      { ...next, untilUs: middleUs, through: middle },
      { ...next, afterUs: middleUs, before: middle },
    ];
    stretches.push(...halves.filter((half) => answersIn(half) > 0));
  }
  return recovered;
}

const answersIn = ({ before, through }: Stretch): number => through.respondents - before.respondents;

function takeFullest(stretches: Stretch[]): Stretch | undefined {
  stretches.sort((a, b) => answersIn(a) - answersIn(b));
  return stretches.pop();
}

async function differenceOf({ before, through, afterUs, untilUs }: Stretch, ask: Ask, toUs: number): Promise<number | undefined> {
  if (before.score !== null && through.score !== null) return sumOf(through) - sumOf(before);
  const [from, behind] = [await ask(afterUs + 1, toUs), await ask(untilUs + 1, toUs)];
  if (from === undefined || behind === undefined || from.score === null || behind.score === null) return undefined;
  return sumOf(from) - sumOf(behind);
}

// One answer per respondent.
const sumOf = ({ score, respondents }: Observation): number => (score ?? 0) * respondents;
