import type { ListTextResponsesRequest } from '@survey/proto/text/v1/text.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Scope } from '../answers/account-answers.ts';

/**
 * Reads the request's filters as sets. Rejects an empty filter: it must never mean everything (rule
 * ERRORS-QUERY-2).
 */
export function readScope(request: ListTextResponsesRequest): Scope {
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
  if (list.ids.length === 0) throw invalid(`${name} is empty`, [{ pointer: `/${name}`, detail: 'is empty' }]);
  return new Set(list.ids);
}
