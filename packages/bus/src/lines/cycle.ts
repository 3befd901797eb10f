import { z } from 'zod';
import { dateTime, id, revision, uuid } from './values.ts';

export const cycleLine = z.strictObject({
  kind: z.literal('cycle'),
  revision,
  id: uuid,
  survey_id: id,
  opened_at: dateTime,
  closed_at: dateTime.nullish().describe('Absent: the cycle is open'),
});

export type CycleLine = z.output<typeof cycleLine>;
