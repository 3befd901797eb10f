import { z } from 'zod';
import type { Response } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { dateTime, employeeReference, id, revision, text, uuid } from '../values.ts';

export const responseLine = z.strictObject({
  kind: z.literal('response'),
  revision,
  id: uuid,
  survey_id: id,
  cycle_id: uuid,
  employee: employeeReference,
  submitted_at: dateTime,
  imported: z.boolean().nullish(),
  answers: z.array(z.strictObject({ question_id: id, option_ids: z.array(id).nullish(), text: text.nullish() })),
});

export type ResponseLine = z.output<typeof responseLine>;

export function responseFact(line: ResponseLine): Response {
  const answers = line.answers.map((answer) => ({ ...answer, option_ids: answer.option_ids ?? [] }));
  return { ...line, imported: line.imported ?? false, answers };
}
