import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { response, uuidOf } from './facts.ts';
import { optionId } from './scales.ts';

export interface Period {
  readonly from: string;
  readonly to: string;
}

export const period = (from: string, to: string): Period => ({ from, to });
export const ALL_TIME = period('2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z');

// The chosen option by its value; null for a skipped question.
type Chosen = number | readonly number[] | null;

interface AnswersOptions {
  // Respondents; default: employees 1, 2, 3 …
  readonly people?: readonly number[];
  readonly at?: string;
  readonly surveyId?: number;
  // Number of the first response; must be unique within the account.
  readonly from?: number;
}

/**
 * Returns responses with the n-th answer to each question: {11: [5, 4]} are two responses to
 * question 11.
 */
export function answers(byQuestion: Readonly<Record<number, readonly Chosen[]>>, options: AnswersOptions = {}): Fact[] {
  const { people, at, surveyId = 1, from = 1 } = options;
  const questions = Object.entries(byQuestion);
  const count = Math.max(...questions.map(([, chosen]) => chosen.length));
  return Array.from({ length: count }, (_, index) =>
    response(uuidOf(from + index), {
      survey_id: surveyId,
      employee: { id: people?.[index] ?? index + 1 },
      ...(at !== undefined && { submitted_at: at }),
      answers: questions.map(([id, chosen]) => ({ question_id: Number(id), option_ids: optionIds(Number(id), chosen[index]) })),
    }),
  );
}

function optionIds(questionId: number, chosen: Chosen | undefined): number[] {
  if (chosen == null) return [];
  return [chosen].flat().map((value) => optionId(questionId, value));
}
