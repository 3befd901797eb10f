import type { GetScoreRequest, Score, ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { Problem, toParameterProblem } from '../http/problem.ts';
import { extensible, type Operation } from './operation.ts';
import { checkIfMatch } from './list-endpoint.ts';
import { dateTime, flag, idList } from './query-parameters.ts';
import { remainingDeadlineMs, sendJson, type ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const DEADLINE_MS = 2_000;
const REQUIRED = 'is required';

const questionIds = idList(REQUIRED).meta({
  type: 'string',
  example: '11,12',
  description: 'Comma-separated ids of questions from /v1/questions: a set.',
});
const instant = (description: string) =>
  z.string(REQUIRED).pipe(dateTime).meta({ type: 'string', format: 'date-time', description, example: '2024-01-31T22:00:00Z' });

const query = {
  question_ids: questionIds,
  period_from: instant('Responses at or after it. URL-encode it.').meta({ example: '2024-01-01T00:00:00Z' }),
  period_to: instant('Responses at or before it.'),
  survey_ids: idList().optional().meta({
    type: 'string',
    example: '1',
    description: 'Only responses given in these surveys. Without it, responses of all surveys that ask the questions count.',
  }),
  attribute_option_ids: idList().optional().meta({
    type: 'string',
    example: '4,5',
    description: 'Only with the disclosure guard: groups of respondents with one of these options of the chosen attribute.',
  }),
  participation: flag.optional().meta({
    type: 'boolean',
    description: 'Only with the disclosure guard: whether to add `participation`.',
  }),
};

const count = z.int().nonnegative().describe('A multiple of the threshold.');

export const scoresOperation: Operation = {
  id: 'getScore',
  summary: 'Get a score',
  since: '1.2.0',
  description: `
The score of every response to the questions inside the period, in whichever survey it was given: \`survey_ids\` restricts the score to some, and the score of a cycle is that of its survey in its period. All questions must be of one kind: all eNPS (type nps), or all others.

A question's answers are normalised to 0–100 by its options flagged as minimum and maximum, whichever has the larger number; an answer of several options (multiple_select, ranked_select) is worth the mean of theirs. An eNPS answer of 9 or 10 counts 100, one of 0 to 6 counts -100. The score is the mean of the questions' means, so a question with few answers weighs as much as one with many; questions without answers, and those whose minimum and maximum are the same or not flagged, do not take part. It has two decimals; a half is rounded away from zero.

When fewer people than the anonymity threshold stand behind it, the score is withheld: that is no error. The threshold is configured for each survey; of the surveys whose questions are asked for the strictest counts, and with \`survey_ids\` that of the surveys in which the answers were given. Each call is judged by itself.

When the account has the disclosure guard (an extension of the contract, off by default), responses have the header \`Disclosure-Guard\`. A score then consists of whole survey cycles that closed inside the period at least some hours ago, and only of those in which enough employees answered the question; \`respondents\` is rounded down to a multiple of the threshold, and 0 when the score is suppressed. Only then \`attribute_option_ids\` and \`participation\` are parameters of this endpoint: they select whole groups of respondents, as for text responses, and count the employees of each cycle. \`survey_ids\` then selects whole cycles.`.trim(),
  query,
  success: {
    status: 200,
    description: 'The score, or that it is suppressed.',
    headers: {
      'Disclosure-Guard': z
        .string()
        .optional()
        .meta({
          header: { id: 'Disclosure-Guard' },
          description: 'Only with the disclosure guard: the number and the bounds of the closed cycles in the period.',
          example: 'strict; cycles=3; from="2026-01-05T09:00:00.000000Z"; to="2026-03-27T17:00:00.000000Z"',
        }),
    },
    schema: z
      .object({
        score: z.number().min(-100).max(100).nullable().describe('0 to 100, for enps -100 to 100; null when suppressed.'),
        unit: z.enum(['favorability_percent', 'enps']).describe('enps when all questions are eNPS.'),
        respondents: z
          .int()
          .nonnegative()
          .describe('Distinct respondents, also when the score is suppressed (without the disclosure guard).'),
        suppressed: z.boolean().describe('true when there are fewer respondents than the anonymity threshold.'),
        suppression_reason: z
          .string()
          .nullable()
          .meta(extensible(['below_anonymity_threshold'])),
        participation: z
          .record(z.uuid(), z.object({ assigned: count, respondents: count }))
          .optional()
          .describe('Only with `participation=true`, by cycle; cycles below the threshold are left out.'),
      })
      .meta({ id: 'Score' }),
  },
  problems: {
    400: 'A parameter is malformed, period_from is later than period_to, a question does not exist or is in words, eNPS questions are mixed with others, or a parameter needs the disclosure guard; `errors` names every parameter at fault.',
  },
};

const readQuery = strictQuery(query);

/** GET /v1/scores (docs/rules/scores.md). */
export function getScores(scoring: Upstream<ScoringServiceDefinition>): ReadEndpoint {
  return ({ request, response, caller, receivedAt }) => {
    const query = readQuery(request.url);
    if (query.period_from > query.period_to) throw reversedPeriod();
    const respond = async (): Promise<void> => {
      const deadlineMs = remainingDeadlineMs(receivedAt, DEADLINE_MS);
      const score = await scoring.getScore(requestOf(query), { caller, deadlineMs }).catch((error: unknown) => {
        throw toParameterProblem(error);
      });
      checkIfMatch(request);
      if (score.disclosure_guard != null) response.setHeader('Disclosure-Guard', score.disclosure_guard);
      sendJson(response, 200, bodyOf(score));
    };
    return { pageSize: 1, respond };
  };
}

function requestOf({ survey_ids, attribute_option_ids, ...query }: ReturnType<typeof readQuery>): GetScoreRequest {
  return {
    ...query,
    survey_ids: survey_ids && { ids: survey_ids },
    attribute_option_ids: attribute_option_ids && { ids: attribute_option_ids },
  };
}

function reversedPeriod(): Problem {
  const detail = 'must not be later than period_to';
  return new Problem(400, `Query parameter period_from ${detail}.`, { errors: [{ parameter: 'period_from', detail }] });
}

// No response may contain both a score and its suppression, whatever the upstream sent (rule
// SCORES-THRESHOLD-1).
function bodyOf({ score = null, unit, respondents, suppressed, suppression_reason = null, participation }: Score): object {
  if ((score === null) !== suppressed || (suppression_reason !== null) !== suppressed)
    throw new Error('expected a score or its suppression, not both');
  const byCycle = participation?.cycles.map(({ cycle_id, ...numbers }) => [cycle_id, numbers]);
  return {
    score,
    unit,
    respondents,
    suppressed,
    suppression_reason,
    ...(byCycle && { participation: Object.fromEntries(byCycle) }),
  };
}
