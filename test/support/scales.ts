import type { AnswerOption } from '@survey/proto/intake/v1/intake.ts';

/** Returns the id of the option with this value. */
export function optionId(questionId: number, value: number): number {
  return questionId * 1_000 + value;
}

/** Returns options with these values, two of them flagged. */
export function scale(questionId: number, flagged: { worst?: number; best?: number }, ...values: number[]): AnswerOption[] {
  return values.map((value) => ({
    id: optionId(questionId, value),
    name: { en: String(value) },
    value,
    is_maximum: value === flagged.best,
    is_minimum: value === flagged.worst,
  }));
}

/** Options of a question of one to five stars. */
export function optionsOf(questionId: number): AnswerOption[] {
  return scale(questionId, { worst: 1, best: 5 }, 1, 2, 3, 4, 5);
}
