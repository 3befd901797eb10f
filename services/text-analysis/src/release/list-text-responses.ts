import { limitResults } from '@survey/postgres/database.ts';
import { LargeResult } from '@survey/postgres/large-result.ts';
import type { Page } from '@survey/proto/common/v1/page.ts';
import type { ListTextResponsesRequest, TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { Scope } from '../answers/account-answers.ts';
import { readAnswers } from './read-answers.ts';
import { type ReleaseContext, withReleased } from './released-answers.ts';

/** Serves GET /v1/text_responses (docs/rules/texts.md). */
export function listTextResponses(context: ReleaseContext): Handlers<TextServiceDefinition>['listTextResponses'] {
  return async (request, call: CallContext): Promise<Page> => {
    const { limit, offset, accept_gzip } = request;
    using result = new LargeResult(accountOf(call));
    const page = await withReleased(context, readScope(request), call, async ({ tx, accountId, released: { ids }, ...view }) => {
      limitResults(tx, result);
      const responses = await readAnswers(tx, accountId, [...ids.subarray(offset, offset + limit)], view);
      return { total_count: ids.length, responses };
    });
    return await toPage(JSON.stringify(page), accept_gzip);
  };
}

/**
 * Reads the request's filters as sets. Rejects an empty filter: it must never mean everything (rule
 * ERRORS-QUERY-2).
 */
function readScope(request: ListTextResponsesRequest): Scope {
  const { survey_ids, survey_cycle_ids, question_ids, attribute_option_ids } = request;
  return {
    surveyIds: setOf(survey_ids, 'survey_ids'),
    cycleIds: setOf(survey_cycle_ids && { ids: survey_cycle_ids.ids.map((id) => id.toLowerCase()) }, 'survey_cycle_ids'),
    questionIds: setOf(question_ids, 'question_ids'),
    optionIds: setOf(attribute_option_ids, 'attribute_option_ids'),
  };
}

function setOf<T>(list: { readonly ids: readonly T[] } | null | undefined, name: string): ReadonlySet<T> | undefined {
  if (list == null) return undefined;
  if (list.ids.length === 0) throw invalid(`${name} must not be empty`, [{ pointer: `/${name}`, detail: 'must not be empty' }]);
  return new Set(list.ids);
}
