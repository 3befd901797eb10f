import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  CountDeferredFactsRequest,
  CountDeferredFactsResponse,
  DeferredFactCount,
  WaitingLine,
} from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { selectFromFactSchemas } from '../sql/fact-schemas.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

const COUNTS = `select keeper as service, kind, count(*) as facts from ${selectFromFactSchemas('deferred_fact', 'kind')}
  where account_id = $1::bigint
  group by keeper, kind order by keeper, kind`;
const LINES = `select keeper as service, kind, line, count(*) over () as total
  from ${selectFromFactSchemas('deferred_fact', 'kind, source, line')}
  where account_id = $1::bigint and source = $2::text
  order by line, keeper, kind limit $3::integer`;

/** Counts the deferred facts of the account, and lists the lines of one load among them. */
export const countDeferredFacts =
  (pool: Pool) =>
  (
    { account_id: accountId, source, limit }: CountDeferredFactsRequest,
    call: CallContext,
  ): Promise<CountDeferredFactsResponse> => {
    const most = limit ?? DEFAULT_LIMIT;
    if (most < 0 || most > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
    return withAccount(pool, call, accountId, async (client) => {
      const { rows: waiting } = await client.query<DeferredFactCount>(COUNTS, [accountId]);
      return { waiting, ...(await linesOf(client, [accountId, source ?? null, most])) };
    });
  };

async function linesOf(client: Client, values: readonly unknown[]): Promise<{ lines: WaitingLine[]; lines_total: number }> {
  const { rows } = await client.query<WaitingLine & { total: number }>(LINES, [...values]);
  return { lines: rows.map(({ service, kind, line }) => ({ service, kind, line })), lines_total: rows[0]?.total ?? 0 };
}
