import { z } from 'zod';
import { microsecondsOf } from '@survey/formats/microseconds.ts';
import type { Response } from '@survey/proto/intake/v1/intake.ts';
import type { Fault } from './reasons.ts';
import { answerText, dateTime, employeeReference, id, revision, uuid } from './values.ts';

// Scores keep the time as a number of microseconds.
const submittedAt = dateTime.refine(
  (instant) => Math.abs(microsecondsOf(instant)) < Number.MAX_SAFE_INTEGER,
  'year_out_of_range' satisfies Fault,
);

// Options of an answer.
const MAX_CHOSEN = 1_000;

const answers = z
  .array(z.strictObject({ question_id: id, option_ids: z.array(id).max(MAX_CHOSEN).nullish(), text: answerText.nullish() }))
  .refine((all) => new Set(all.map(({ question_id }) => question_id)).size === all.length, 'question_repeated' satisfies Fault);

export const responseLine = z.strictObject({
  kind: z.literal('response'),
  revision,
  id: uuid,
  survey_id: id,
  cycle_id: uuid,
  employee: employeeReference,
  submitted_at: submittedAt.describe('In the years 1684 to 2255'),
  imported: z.boolean().nullish().describe('Absent: false. Answers from another system (true) are never masked'),
  answers: answers.describe(
    'Each question at most once; skipped questions are left out. `text` is for `textfield`, `option_ids` for other types: by rank for `ranked_select`, several for `multiple_select`, otherwise one',
  ),
});

export type ResponseLine = z.output<typeof responseLine>;

export function responseFact(line: ResponseLine): Response {
  const answers = line.answers.map((answer) => ({ ...answer, option_ids: answer.option_ids ?? [] }));
  return { ...line, imported: line.imported ?? false, answers };
}
