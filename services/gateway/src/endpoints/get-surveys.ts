import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { extensible, idAndName, type Operation, pageOf, translated, utcTime } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { dateTime, flag, paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const property = z
  .object({
    id: z.int().describe('The id of the property.'),
    name: z.string().describe('A plain string, not translated.'),
    survey_property_options: z
      .array(idAndName('SurveyPropertyOption', 'A value of a property that the survey has.'))
      .describe('The values that the survey has.'),
  })
  .meta({ id: 'SurveyProperty' });

const survey = z
  .object({
    id: z.int().describe('The id of the survey.'),
    import_id: z.string().nullable().describe('null when created in the web application.'),
    name: translated,
    frequency: z.string().meta(extensible(['weekly', 'biweekly', 'monthly', 'once'])),
    created_at: utcTime.describe('When the survey was created.'),
    start_at: utcTime.nullable().describe('null when the survey started on created_at.'),
    end_at: utcTime.nullable().describe('null when no end date is defined.'),
    archived_at: utcTime.nullable().describe('null when never archived.'),
    current_survey_ends_at: utcTime
      .nullable()
      .describe('End of the current participation period; null if the survey is closed or the period is not yet open.'),
    next_survey_starts_at: utcTime.nullable().describe('null if the survey is closed.'),
    is_archived: z.boolean().describe('true if the survey is archived.'),
    is_deactivated: z.boolean().describe('Deactivated surveys are no longer sent to employees.'),
    permissions: z
      .object({ employees_with_access_to_results: z.array(z.int()).describe('Ids of employees.') })
      .describe('Access to the results of the survey.'),
    survey_properties: z.array(property).describe('The properties of the survey, such as its region.'),
  })
  .meta({ id: 'Survey' });

const query = {
  ...paging,
  created_after: dateTime.optional().describe('Surveys created at or after it. URL-encode it.'),
  is_archived: flag.optional().describe('true: only archived ones; false: only others; omitted: all.'),
};

export const surveysOperation: Operation = {
  id: 'listSurveys',
  summary: 'List surveys',
  description: 'The surveys of the account by id.',
  query,
  success: pageOf('surveys', survey, {
    links: {
      cycles: {
        operationId: 'listSurveyCycles',
        description: 'The cycles of the first survey.',
        parameters: { survey_id: '$response.body#/surveys/0/id' },
      },
      assignments: {
        operationId: 'listSurveyAssignments',
        description: 'The assignments to the first survey.',
        parameters: { survey_id: '$response.body#/surveys/0/id' },
      },
    },
  }),
};

/** GET /v1/surveys (docs/rules/resources.md). */
export const getSurveys = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(query), (request, options) => exporter.listSurveys(request, options));
