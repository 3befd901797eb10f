import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ListOffboardedRequest, ListOffboardedResponse, SharedValue } from '@survey/proto/admin/v1/admin.ts';
import type { OffboardedEmployee } from '@survey/proto/common/v1/import_outcome.ts';
import { checkUuid } from '../uuid.ts';
import { withAccount } from '../with-account.ts';
import { findImport } from './show-imports.ts';
import { searchPattern } from '../sql-text.ts';

interface OffboardedPage {
  accountId: number;
  importUuid: string;
  search: string;
  limit: number;
  // Employee_id of the previous page's last employee; 0 for the first page.
  after: number;
  hasShared: boolean;
}

const FOUND = `from imports.offboarding l
  join imports.employee e on e.account_id = l.account_id and e.id = l.employee_id
  where l.account_id = $1::bigint and l.import_uuid = $2::uuid
    and ($3::text is null or e.import_id like $3::text || '%' or concat_ws(' ', e.firstname, e.lastname) ilike '%' || $3::text || '%')`;

async function readOffboarded(client: Client, page: OffboardedPage): Promise<OffboardedEmployee[]> {
  const { accountId, importUuid, search, limit, after } = page;
  const { rows } = await client.query<OffboardedEmployee>(
    `select e.id as employee_id, e.import_id, concat_ws(' ', e.firstname, e.lastname) as name, (
       select coalesce(jsonb_object_agg(v.attribute, v.value), '{}') from (
         select distinct on (a.id) a.name as attribute, o.name as value
         from imports.attribute_option o join imports.attribute a on a.account_id = o.account_id and a.id = o.attribute_id
         where o.account_id = $1::bigint and o.id = any(e.option_ids) order by a.id, o.id) v) as attributes
     ${FOUND} and e.id > $5::bigint order by e.id limit $4::integer`,
    [accountId, importUuid, searchPattern(search), limit, after],
  );
  return rows;
}

async function countOffboarded(client: Client, { accountId, importUuid, search }: OffboardedPage): Promise<number> {
  const values = [accountId, importUuid, searchPattern(search)];
  const { rows } = await client.query<{ total: number }>(`select count(*) as total ${FOUND}`, values);
  return rows[0]?.total ?? 0;
}

// Values that at least 80 % of the offboarded employees share, or that at least 80 % of their
// employees lose.
const SHARED = `
with offboarded as (
  select e.id, e.option_ids from imports.offboarding l
  join imports.employee e on e.account_id = l.account_id and e.id = l.employee_id
  where l.account_id = $1::bigint and l.import_uuid = $2::uuid
), lost as (
  select o.option_id, count(*) as offboarded from offboarded, unnest(option_ids) as o (option_id) group by o.option_id
), had as (
  select o.option_id, count(*) as having
  from imports.employee e, unnest(e.option_ids) as o (option_id)
  where e.account_id = $1::bigint and e.created_via = 'import_api'
    and (not e.is_deleted or exists (select from offboarded where offboarded.id = e.id))
  group by o.option_id
)
select a.name as attribute, v.name as value, lost.offboarded, had.having
from lost join had using (option_id)
join imports.attribute_option v on v.account_id = $1::bigint and v.id = lost.option_id
join imports.attribute a on a.account_id = v.account_id and a.id = v.attribute_id
where lost.offboarded > 1
  and (lost.offboarded * 5 >= (select count(*) * 4 from offboarded) or lost.offboarded * 5 >= had.having * 4)
order by lost.offboarded desc, had.having, v.id limit 5`;

/**
 * Returns what most of the offboarded employees have in common, which reveals, for example, a site
 * that is missing from the export.
 */
async function sharedValues(client: Client, accountId: number, importUuid: string): Promise<SharedValue[]> {
  const { rows } = await client.query<SharedValue>(SHARED, [accountId, importUuid]);
  return rows;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/**
 * Returns the employees that an import offboarded or would have offboarded, and what they have in
 * common.
 */
export const listOffboarded =
  (pool: Pool) =>
  async (request: ListOffboardedRequest, call: CallContext): Promise<ListOffboardedResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, async (client) => {
      await findImport(client, page.accountId, page.importUuid);
      return {
        employees: await readOffboarded(client, page),
        total: await countOffboarded(client, page),
        shared: page.hasShared ? await sharedValues(client, page.accountId, page.importUuid) : [],
      };
    });
  };

function checkPage(request: ListOffboardedRequest): OffboardedPage {
  const { account_id: accountId, import_uuid: importUuid, limit, without_shared } = request;
  const [search, after] = [request.search ?? '', request.after ?? 0];
  checkUuid(importUuid, 'import_uuid');
  const atMost = limit ?? DEFAULT_LIMIT;
  if (atMost < 0 || atMost > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
  const hasShared = after === 0 && search === '' && without_shared !== true;
  return { accountId, importUuid, search, limit: atMost, after, hasShared };
}
