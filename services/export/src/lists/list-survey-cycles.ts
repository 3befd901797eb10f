import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { type List, readList } from './read-list.ts';
import { utc } from './utc.ts';

/** GET /v1/survey_cycles (docs/rules/resources.md), last opened first (rule CYCLES-LIST-1). */
export function listSurveyCycles(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyCycles'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['cycle', 'survey'],
      load: (client, accountId) => readList(client, SURVEY_CYCLES, request, [accountId, request.survey_id]),
      render: ({ totalCount, rows }) => toPage(JSON.stringify({ total_count: totalCount, cycles: rows }), request.accept_gzip),
    });
}

/**
 * Survey cycle (docs/rules/resources.md). $2: survey. A cycle is not listed until its survey
 * exists, whose time zone it shows.
 */
const SURVEY_CYCLES: List = {
  matching: `export.cycle c
    join export.survey s on s.account_id = c.account_id and s.id = c.survey_id
    where c.account_id = $1::bigint and ($2::bigint is null or c.survey_id = $2::bigint)`,
  fields: `c.id, c.survey_id, ${utc('c.opened_at')} as opened_at, ${utc('c.closed_at')} as closed_at, s.timezone`,
  order: 'c.opened_at desc, c.id',
};
