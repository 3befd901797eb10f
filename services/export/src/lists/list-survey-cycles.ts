import { AccountCache } from '@survey/postgres/account-cache.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition, ListSurveyCyclesRequest } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { utc } from './read-list.ts';

// An account can have thousands of cycles for every week, and no counters per block of ids as
// assignments have them: ids say nothing about the order, and a cycle is listed only once its
// survey exists. Instead, one pass over the list finds every thousandth cycle, from which
// pages are then read. These starts are valid until the version of the cycles or surveys changes.

/** A list's total, and opening and id of its cycles at offset 0, 1,000, 2,000 and so on. */
interface PageStarts {
  readonly total_count: number;
  readonly opened_at: readonly string[];
  readonly ids: readonly string[];
}

interface CachedLists {
  readonly version: string | undefined;
  // By survey; undefined for the list of all.
  readonly lists: Map<number | undefined, PageStarts>;
}

const STRIDE = 1_000;
// About 200 bytes each, over all accounts.
const MAX_STARTS = 50_000;

/** GET /v1/survey_cycles (docs/rules/resources.md), last opened first (rule CYCLES-LIST-1). */
export function listSurveyCycles(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyCycles'] {
  const sizeOf = ({ lists }: CachedLists): number => [...lists.values()].reduce((sum, { ids }) => sum + ids.length + 1, 0);
  const cache = new AccountCache<CachedLists>({ maxSize: MAX_STARTS, sizeOf });
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['cycle', 'survey'],
      load: async (client, accountId, version) => {
        const surveyId = request.survey_id ?? undefined;
        const cached = cache.get(accountId);
        const account =
          cached !== undefined && cached.version === version
            ? cached
            : { version, lists: new Map<number | undefined, PageStarts>() };
        const starts = account.lists.get(surveyId) ?? (await readPageStarts(client, accountId, surveyId));
        if (version !== undefined && !account.lists.has(surveyId)) {
          account.lists.set(surveyId, starts);
          cache.set(accountId, account);
        }
        return { totalCount: starts.total_count, rows: await readCycles(client, accountId, request, starts) };
      },
      render: ({ totalCount, rows }) => toPage(JSON.stringify({ total_count: totalCount, cycles: rows }), request.accept_gzip),
    });
}

// A cycle is not listed until its survey exists, whose time zone it shows.
const JOINED = 'export.cycle c join export.survey s on s.account_id = c.account_id and s.id = c.survey_id';
const MATCHING = 'c.account_id = $1::bigint and ($2::bigint is null or c.survey_id = $2::bigint)';

// Because of "+ 0", PostgreSQL does not collect all cycles survey by survey, in twice the time.
const PAGE_STARTS = `
select count(*) as total_count,
  coalesce(array_agg(opened_at::text order by nth) filter (where nth % ${STRIDE} = 0), '{}') as opened_at,
  coalesce(array_agg(id::text order by nth) filter (where nth % ${STRIDE} = 0), '{}') as ids
from (select c.opened_at, c.id, row_number() over (order by c.opened_at desc, c.id) - 1 as nth from ${JOINED} + 0 where ${MATCHING}) c`;

async function readPageStarts(db: Client, accountId: number, surveyId: number | undefined): Promise<PageStarts> {
  const { rows } = await db.query<PageStarts>(PAGE_STARTS, [accountId, surveyId]);
  return rows[0] ?? { total_count: 0, opened_at: [], ids: [] };
}

// The first condition is the index's; the second one leaves out cycles that opened together.
const PAGE = `
select c.id, c.survey_id, ${utc('c.opened_at')} as opened_at, ${utc('c.closed_at')} as closed_at, s.timezone
from ${JOINED}
where ${MATCHING} and c.opened_at <= $3::timestamptz and (c.opened_at < $3::timestamptz or c.id >= $4::uuid)
order by c.opened_at desc, c.id limit $5::bigint offset $6::bigint`;

async function readCycles(
  db: Client,
  accountId: number,
  { limit, offset, survey_id }: ListSurveyCyclesRequest,
  { opened_at, ids }: PageStarts,
): Promise<object[]> {
  const start = Math.floor(offset / STRIDE);
  if (limit === 0 || ids[start] === undefined) return [];
  const { rows } = await db.query<object>(PAGE, [accountId, survey_id, opened_at[start], ids[start], limit, offset % STRIDE]);
  return rows;
}
