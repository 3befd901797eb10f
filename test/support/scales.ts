import type { AnswerOption } from '@survey/rpc/gen/survey/intake/v1/intake.ts';

/** The id of the option of a question that has this value. */
export function optionId(questionId: number, value: number): number {
  return questionId * 1_000 + value;
}

/** Options with these values, of which two are flagged. */
export function scale(questionId: number, flagged: { worst?: number; best?: number }, ...values: number[]): AnswerOption[] {
  return values.map((value) => ({
    id: optionId(questionId, value),
    name: { en: String(value) },
    value,
    is_maximum: value === flagged.best,
    is_minimum: value === flagged.worst,
  }));
}

/** Of a question of one to five stars. */
export function optionsOf(questionId: number): AnswerOption[] {
  return scale(questionId, { worst: 1, best: 5 }, 1, 2, 3, 4, 5);
}
