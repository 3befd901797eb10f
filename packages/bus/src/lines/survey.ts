import { z } from 'zod';
import type { EmployeeReference, Survey } from '@survey/proto/intake/v1/intake.ts';
import { dateTime, employeeReference, id, label, revision, text, timezone, translated, uuid } from './values.ts';

const surveyProperty = z.strictObject({
  id,
  name: text,
  survey_property_options: z.array(z.strictObject({ id, name: text })),
});

export const surveyLine = z.strictObject({
  kind: z.literal('survey'),
  revision,
  id,
  import_id: label.nullish(),
  name: translated,
  frequency: label.meta({ examples: ['weekly', 'biweekly', 'monthly', 'once'] }),
  created_at: dateTime,
  start_at: dateTime.nullish().describe('Absent: the survey started on `created_at`'),
  end_at: dateTime.nullish(),
  archived_at: dateTime.nullish(),
  current_survey_ends_at: dateTime.nullish(),
  next_survey_starts_at: dateTime.nullish(),
  is_archived: z.boolean(),
  is_deactivated: z.boolean(),
  permissions: z
    .strictObject({
      employees_with_access_to_results: z.array(z.union([id, employeeReference])),
    })
    .describe('Employees with access to the results, as ids or employee references'),
  survey_properties: z.array(surveyProperty),
  timezone: timezone.describe('IANA name'),
  score_threshold: z
    .int()
    .nonnegative()
    .nullish()
    .describe('Respondents needed to release a score; 5 if absent, and at least 3 (SCORES-THRESHOLD-3)'),
  text_threshold: z
    .int()
    .nonnegative()
    .nullish()
    .describe('Respondents needed to release the texts of a cycle; 5 if absent, and at least 3 (SCORES-THRESHOLD-3)'),
});

export type SurveyLine = z.output<typeof surveyLine>;

export function surveyFact(line: SurveyLine): Survey {
  return { ...line, employees_with_access_to_results: line.permissions.employees_with_access_to_results.map(reference) };
}

function reference(employee: number | EmployeeReference): EmployeeReference {
  return typeof employee === 'number' ? { id: employee } : employee;
}

export const cycleLine = z.strictObject({
  kind: z.literal('cycle'),
  revision,
  id: uuid,
  survey_id: id,
  opened_at: dateTime,
  closed_at: dateTime.nullish().describe('Absent: the cycle is open'),
});

export type CycleLine = z.output<typeof cycleLine>;
