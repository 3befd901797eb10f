import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { type List, readList } from './read-list.ts';

/**
 * GET /v1/questions (docs/rules/resources.md), sorted by id, including deleted ones (rule
 * QUESTIONS-LIST-1).
 */
export function listQuestions(read: AccountReader): Handlers<ExportServiceDefinition>['listQuestions'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['question'],
      load: (client, accountId) => readList(client, QUESTIONS, request, [accountId]),
      render: ({ totalCount, rows }) => toPage(JSON.stringify({ total_count: totalCount, questions: rows }), request.accept_gzip),
    });
}

/** Question (docs/rules/resources.md). */
const QUESTIONS: List = {
  matching: 'export.question q where q.account_id = $1::bigint',
  fields: 'q.id, q.name, q.type, q.is_deleted, q.answer_options',
  order: 'q.id',
};
