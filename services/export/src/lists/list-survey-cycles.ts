import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { type List, readList } from './read-list.ts';
import { utc } from './utc.ts';

/** GET /v1/survey_cycles (docs/rules/resources.md), last opened first (rule CYCLES-LIST-1). */
export function listSurveyCycles(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyCycles'] {
  return async ({ limit, offset, accept_gzip, survey_id }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await read(
      accountId,
      (client) => readList(client, SURVEY_CYCLES, { limit, offset }, [accountId, survey_id]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, cycles: rows }), accept_gzip);
  };
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
