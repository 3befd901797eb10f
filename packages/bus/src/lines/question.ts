import { z } from 'zod';
import { id, label, revision, translated } from './values.ts';

export const questionLine = z.strictObject({
  kind: z.literal('question'),
  revision,
  id,
  survey_id: id,
  name: translated,
  type: label.meta({
    examples: ['stars', 'textfield', 'single_select', 'multiple_select', 'ranked_select', 'smiley_faces', 'nps'],
  }),
  is_deleted: z.boolean(),
  answer_options: z
    .array(
      z.strictObject({
        id,
        name: translated,
        value: z.number(),
        is_maximum: z.boolean(),
        is_minimum: z.boolean(),
        counts: z.boolean().nullish(),
      }),
    )
    .describe(
      '`is_maximum` is the best answer, `is_minimum` the worst; `counts: false` marks one that is no answer, such as "does not apply"; `[]` for `textfield`',
    ),
});

export type QuestionLine = z.output<typeof questionLine>;
