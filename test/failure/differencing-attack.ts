/** What an attacker learns from one call. */
export interface Observation {
  // Null when it was withheld.
  readonly score: number | null;
  readonly respondents: number;
}

/** GET /v1/scores of one question, from one microsecond to another. Undefined when the budget of calls is used up. */
export type Ask = (fromUs: number, toUs: number) => Promise<Observation | undefined>;

interface Recovered {
  // The answer was given after the one and not after the other.
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
 * Finds single answers by comparing windows, knowing nothing beforehand: halves the time until each stretch holds one answer more than the
 * stretch before, and takes the difference of the two sums. Where the window before is withheld, the window behind it serves as well.
 * Nothing here goes around a threshold: every call is one that the contract allows (rule SCORES-THRESHOLD-5).
 */
export async function recoverAnswers(ask: Ask, fromUs: number, toUs: number): Promise<Recovered[]> {
  const recovered: Recovered[] = [];
  const whole = await ask(fromUs, toUs);
  if (whole === undefined) return recovered;
  const nobody: Observation = { score: null, respondents: 0 };
  const stretches: Stretch[] = [{ afterUs: fromUs - 1, untilUs: toUs, before: nobody, through: whole }];
  // The fullest first: there most is to be had for a call.
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

// Of one answer for each person.
const sumOf = ({ score, respondents }: Observation): number => (score ?? 0) * respondents;
