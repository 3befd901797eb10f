import { z } from 'zod';
import { dateTime, employeeReference, id, revision } from './values.ts';

export const assignmentLine = z.strictObject({
  kind: z.literal('assignment'),
  revision,
  id,
  survey_id: id,
  employee: employeeReference,
  created_at: dateTime,
  deleted_at: dateTime.nullish().describe('Absent: the assignment is active'),
});

export type AssignmentLine = z.output<typeof assignmentLine>;
