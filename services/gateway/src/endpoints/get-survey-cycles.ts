import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { type Operation, pageOf, utcTime } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { integerId, paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const surveyCycle = z
  .object({
    id: z.string().describe('A UUID.'),
    survey_id: z.int().describe('Matches a survey id.'),
    opened_at: utcTime.describe('When the cycle opened.'),
    closed_at: utcTime.nullable().describe('null while the cycle is open.'),
    timezone: z.string().describe("The survey's time zone, for showing local dates; the times themselves are in UTC."),
  })
  .meta({ id: 'SurveyCycle' });

const query = { ...paging, survey_id: integerId.optional().describe('Those of one survey; omitted: of all surveys.') };

export const surveyCyclesOperation: Operation = {
  id: 'listSurveyCycles',
  summary: 'List survey cycles',
  since: '1.4.0',
  description:
    'The cycles of the surveys, the one opened last first. `opened_at` and `closed_at` can be used as `period_from` and `period_to` of a score.',
  query,
  success: pageOf('cycles', surveyCycle, {
    links: {
      texts: {
        operationId: 'listTextResponses',
        description: 'The free-text answers of the first cycle.',
        parameters: { survey_cycle_ids: '$response.body#/cycles/0/id' },
      },
      score: {
        operationId: 'getScore',
        description: 'The score of questions in the first cycle, when it is closed.',
        parameters: {
          period_from: '$response.body#/cycles/0/opened_at',
          period_to: '$response.body#/cycles/0/closed_at',
        },
      },
    },
  }),
};

/** GET /v1/survey_cycles (docs/rules/resources.md). */
export const getSurveyCycles = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(query), (request, options) => exporter.listSurveyCycles(request, options));
