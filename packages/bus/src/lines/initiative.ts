import { z } from 'zod';
import { dateTime, employeeReference, id, revision, text, uuid } from './values.ts';

export const initiativeLine = z.strictObject({
  kind: z.literal('initiative'),
  revision,
  uuid,
  title: text,
  status: z.enum(['draft', 'defined', 'in_progress', 'completed']),
  survey_id: id.nullish(),
  question_ids: z.array(id),
  assignee: employeeReference.nullish(),
  creator: employeeReference.nullish(),
  notes: text.describe('Empty if there are none'),
  completion_date: dateTime.nullish(),
  created_at: dateTime,
  updated_at: dateTime.nullish(),
  is_private: z.boolean(),
  reminder_settings: z.array(z.enum(['same_day', 'three_days_before'])),
  notification_settings: z.array(z.enum(['on_create', 'on_update'])),
});

export type InitiativeLine = z.output<typeof initiativeLine>;
