import type { Score, ScoreQuery, SurveyCycle } from './resources.ts';
import type { CallOptions } from './send-request.ts';

export interface CycleScore {
  readonly cycle: SurveyCycle;
  readonly score: Score;
  // Difference to the nearest earlier cycle of the survey whose score is not suppressed; null
  // without one.
  readonly change: number | null;
}

/** The endpoint /v1/scores. */
export class Scores {
  readonly #read: (query: Record<string, string>, options: CallOptions) => Promise<unknown>;

  constructor(read: (query: Record<string, string>, options: CallOptions) => Promise<unknown>) {
    this.#read = read;
  }

  /**
   * GET /v1/scores. A score of too few respondents is null with `suppressed` true, which is not an
   * error.
   */
  async get({ participation, ...query }: ScoreQuery, options: CallOptions = {}): Promise<Score> {
    const values = Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : value.join(',')]);
    const parameters = {
      ...Object.fromEntries(values),
      ...(participation !== undefined && { participation: String(participation) }),
    };
    // The success response of this operation, by the OpenAPI document.
    return (await this.#read(parameters, options)) as Score;
  }

  /**
   * Reads the score of the same questions in each cycle, of the responses to its survey only, and
   * returns them from the earliest cycle to the latest. The period of an open cycle ends now.
   */
  async compare(
    questionIds: readonly number[],
    cycles: readonly SurveyCycle[],
    options: CallOptions = {},
  ): Promise<CycleScore[]> {
    const now = new Date().toISOString();
    const ordered = cycles.toSorted((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
    const compared: CycleScore[] = [];
    // By survey.
    const earlier = new Map<number, number>();
    for (const cycle of ordered) {
      const period = { period_from: cycle.opened_at, period_to: cycle.closed_at ?? now };
      const { survey_id } = cycle;
      const score = await this.get({ question_ids: questionIds, survey_ids: [survey_id], ...period }, options);
      const before = earlier.get(survey_id);
      compared.push({ cycle, score, change: score.score === null || before === undefined ? null : score.score - before });
      if (score.score !== null) earlier.set(survey_id, score.score);
    }
    return compared;
  }
}
