import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { type Operation, pageOf, translated, utcTime } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const STATUSES = ['draft', 'defined', 'in_progress', 'completed'] as const;

const person = z
  .object({
    employee_id: z.int().describe('Matches an employee id.'),
    firstname: z.string().nullable().describe('null when not set.'),
    lastname: z.string().nullable().describe('null when not set.'),
  })
  .meta({ id: 'InitiativePerson' });
const surveyReference = z
  .object({ id: z.int().describe('Matches a survey id.'), name: translated })
  .meta({ id: 'SurveyReference' });
const questionReference = z
  .object({ id: z.int().describe('Matches a question id.'), name: translated })
  .meta({ id: 'QuestionReference' });

const initiative = z
  .object({
    uuid: z.string().describe('The id of the initiative.'),
    title: z.string().describe('A plain string, not translated.'),
    status: z.enum(STATUSES).describe('The progress of the initiative.'),
    survey: surveyReference.nullable().describe('null when not linked to a survey.'),
    questions: z.array(questionReference).describe('The questions that the initiative is about.'),
    assignee: person.nullable().describe('null when unassigned or the assignee was deleted.'),
    creator: person.nullable().describe('null when the creator was deleted.'),
    notes: z.string().describe('Empty when there are none.'),
    completion_date: utcTime.nullable().describe('Target of the completion.'),
    created_at: utcTime.describe('When the initiative was created.'),
    updated_at: utcTime.nullable().describe('null when never updated after creation.'),
    is_private: z.boolean().describe('true if the initiative is private; private ones are listed too.'),
    reminder_settings: z.array(z.enum(['same_day', 'three_days_before'])).describe('The reminders of the completion date.'),
    notification_settings: z.array(z.enum(['on_create', 'on_update'])).describe('Events for which the assignee is notified.'),
  })
  .meta({ id: 'Initiative' });

const query = {
  ...paging,
  status: z
    .enum(STATUSES, `must be one of ${STATUSES.join(', ')}`)
    .optional()
    .describe('Omitted: any status.'),
};

export const initiativesOperation: Operation = {
  id: 'listInitiatives',
  summary: 'List initiatives',
  since: '1.3.0',
  description: 'The initiatives of the account, the newest first, private ones included.',
  query,
  success: pageOf('initiatives', initiative),
};

/** GET /v1/initiatives (docs/rules/resources.md). */
export const getInitiatives = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(query), (request, options) => exporter.listInitiatives(request, options));
