import type { Score, ScoreQuery, SurveyCycle } from './resources.ts';
import type { Query } from './query.ts';
import type { CallOptions } from './send-request.ts';

export interface CycleScore {
  readonly cycle: SurveyCycle;
  readonly score: Score;
  // Difference to the nearest earlier cycle of the survey whose score is not suppressed; null
  // without one.
  readonly change: number | null;
}

export interface CompareOptions extends CallOptions {
  // Called with each cycle that opens in the future. Default: a warning on the console.
  readonly onSkipped?: ((cycle: SurveyCycle) => void) | undefined;
}

function warnOfSkipped({ id, opened_at }: SurveyCycle): void {
  // oxlint-disable-next-line no-console -- a missing score must not go unnoticed, and onSkipped replaces it
  console.warn(`cycle ${id} has no score yet: it opens at ${opened_at}`);
}

// Scores have two decimals, their binary difference many more.
function changeOf(score: number | null, before: number | undefined): number | null {
  return score === null || before === undefined ? null : Math.round((score - before) * 100) / 100;
}

/** The endpoint /v1/scores. */
export class Scores {
  readonly #read: (query: Query, options: CallOptions) => Promise<unknown>;

  constructor(read: (query: Query, options: CallOptions) => Promise<unknown>) {
    this.#read = read;
  }

  /**
   * GET /v1/scores. A score of too few respondents is null with `suppressed` true, which is not an
   * error.
   */
  async get(query: ScoreQuery, options: CallOptions = {}): Promise<Score> {
    // The success response of this operation, by the OpenAPI document.
    return (await this.#read({ ...query }, options)) as Score;
  }

  /**
   * Reads the score of the same questions in each cycle, of the responses to its survey only, and
   * returns them from the earliest cycle to the latest. The period of an open cycle ends now.
   * Cycles that open in the future are skipped, and named to `onSkipped`.
   */
  async compare(
    questionIds: readonly number[],
    cycles: readonly SurveyCycle[],
    { onSkipped = warnOfSkipped, ...options }: CompareOptions = {},
  ): Promise<CycleScore[]> {
    const now = new Date();
    const ordered = cycles.toSorted((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
    const compared: CycleScore[] = [];
    // By survey.
    const earlier = new Map<number, number>();
    for (const cycle of ordered) {
      if (Date.parse(cycle.opened_at) > now.getTime()) {
        onSkipped(cycle);
        continue;
      }
      const period = { period_from: cycle.opened_at, period_to: cycle.closed_at ?? now };
      const { survey_id } = cycle;
      const score = await this.get({ question_ids: questionIds, survey_ids: [survey_id], ...period }, options);
      const before = earlier.get(survey_id);
      compared.push({ cycle, score, change: changeOf(score.score, before) });
      if (score.score !== null) earlier.set(survey_id, score.score);
    }
    return compared;
  }
}
