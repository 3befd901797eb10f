import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { type List, readList } from './read-list.ts';

/**
 * GET /v1/questions (docs/rules/resources.md), sorted by id, including deleted ones (rule
 * QUESTIONS-LIST-1).
 */
export function listQuestions(read: AccountReader): Handlers<ExportServiceDefinition>['listQuestions'] {
  return async ({ limit, offset, accept_gzip }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await read(
      accountId,
      (client) => readList(client, QUESTIONS, { limit, offset }, [accountId]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, questions: rows }), accept_gzip);
  };
}

/** Question (docs/rules/resources.md). */
const QUESTIONS: List = {
  matching: 'export.question q where q.account_id = $1::bigint',
  fields: 'q.id, q.name, q.type, q.is_deleted, q.answer_options',
  order: 'q.id',
};
