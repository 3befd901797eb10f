import type { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { listEndpoint } from './list-endpoint.ts';
import { pageOf, type Operation } from './operation.ts';
import { idList, paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

// Long enough to load the texts of a large account first.
const DEADLINE_MS = 10_000;

const textResponse = z
  .object({
    text: z
      .string()
      .describe('The answer: masked for personal information when masking is on for the account, verbatim otherwise.'),
    topics: z
      .array(
        z.object({
          name: z.string().describe('Unique in the account, ignoring case; not translated.'),
          sentiment: z
            .enum(['positive', 'neutral', 'negative'])
            .nullable()
            .describe('Sentiment of this answer towards this topic; null when not yet scored, which is not neutral.'),
        }),
      )
      .describe('Empty when no topic was assigned, or analysis has not run yet. Their order has no meaning.'),
  })
  .meta({ id: 'TextResponse' });

// Any version and variant of UUID, in any case (rule TEXTS-SCOPE-3).
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const UUIDS = new RegExp(`^${UUID}(,${UUID})*$`);
const cycleIds = z
  .string()
  .regex(UUIDS, 'must be UUIDs, separated by commas, at least one')
  .transform((text) => text.split(','));

const commaSeparated = (what: string, example: string) => ({ type: 'string', example, description: what }) as const;

const query = {
  ...paging,
  survey_ids: idList()
    .optional()
    .meta(commaSeparated('Comma-separated survey ids: every cycle of these surveys. Omitted: every survey.', '1,2')),
  survey_cycle_ids: cycleIds
    .optional()
    .meta(commaSeparated('Comma-separated cycle UUIDs: only these cycles.', '7467cb20-0e02-4866-bf40-2b627b0f03c3')),
  question_ids: idList()
    .optional()
    .meta(
      commaSeparated(
        'Comma-separated question ids: only open-text questions return answers. Omitted: every open-text question.',
        '15',
      ),
    ),
  attribute_option_ids: idList()
    .optional()
    .meta(
      commaSeparated(
        'Comma-separated ids of options of the one attribute that the account has chosen for filtering answers.',
        '1',
      ),
    ),
};

export const textResponsesOperation: Operation = {
  id: 'listTextResponses',
  summary: 'List free-text answers',
  since: '1.4.0',
  description: `
Free-text answers with their topics, as one pooled list: nothing tells the survey, the cycle, the time or the author of an answer. The order is stable and means nothing. Pages of closed cycles never shift; in open cycles answers can come in between.

Each cycle is judged by itself: when fewer people than the anonymity threshold of its survey stand behind the answers that it would contribute, after every filter, it contributes none and is not named. An empty list is a normal outcome.

Options of the chosen attribute are OR-ed, and go by what the respondent had when the answer was taken in. With masking on, a recent answer appears when it has been masked; topics and sentiment follow later.`.trim(),
  query,
  success: pageOf('responses', textResponse),
  problems: {
    400: 'A parameter is malformed or empty, or attribute_option_ids are not options of the one attribute that the account has chosen; `errors` names every parameter at fault.',
  },
};

/** GET /v1/text_responses (docs/rules/texts.md). */
export const getTextResponses = (texts: Upstream<TextServiceDefinition>): ReadEndpoint =>
  listEndpoint(
    strictQuery(query),
    ({ limit, offset, accept_gzip, ...scope }, options) =>
      texts.listTextResponses({ limit, offset, accept_gzip, ...setsOf(scope) }, options),
    DEADLINE_MS,
  );

type TextQuery = z.output<z.ZodObject<typeof query>>;

function setsOf({ survey_ids, survey_cycle_ids, question_ids, attribute_option_ids }: Omit<TextQuery, keyof typeof paging>) {
  return {
    survey_ids: survey_ids && { ids: survey_ids },
    survey_cycle_ids: survey_cycle_ids && { ids: survey_cycle_ids },
    question_ids: question_ids && { ids: question_ids },
    attribute_option_ids: attribute_option_ids && { ids: attribute_option_ids },
  };
}
