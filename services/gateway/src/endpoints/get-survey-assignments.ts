import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { type Operation, pageOf, utcTime } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { integerId, paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const surveyAssignment = z
  .object({
    id: z.int().describe('The id of the assignment.'),
    survey_id: z.int().describe('Matches a survey id.'),
    created_at: utcTime.describe('When the employee was assigned.'),
    deleted_at: utcTime.nullable().describe('When unassigned; null while active.'),
    employee_id: z.int().describe('Matches an employee id.'),
  })
  .meta({ id: 'SurveyAssignment' });

const query = { ...paging, survey_id: integerId.optional().describe('Those of one survey; omitted: of all surveys.') };

export const surveyAssignmentsOperation: Operation = {
  id: 'listSurveyAssignments',
  summary: 'List survey assignments',
  description: 'Direct individual assignments of employees to surveys by id, including historical ones.',
  query,
  success: pageOf('survey_assignments', surveyAssignment),
};

/** GET /v1/survey_assignments (docs/rules/resources.md). */
export const getSurveyAssignments = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(query), (request, options) => exporter.listSurveyAssignments(request, options));
