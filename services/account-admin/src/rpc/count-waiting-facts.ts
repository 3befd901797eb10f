import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CountWaitingFactsRequest, CountWaitingFactsResponse, WaitingCount } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { readAccount } from '../account.ts';
import { ofAllKeepers } from '../sql/fact-keepers.ts';

const SQL = `select keeper as kept_by, kind, count(*) as facts from ${ofAllKeepers('waiting_fact', 'kind')}
  where account_id = $1::bigint
  group by keeper, kind order by keeper, kind`;

/** How many facts of the account refer to something that is not there yet: they are applied when it comes. */
export const countWaitingFacts =
  (pool: Pool) =>
  ({ account_id: accountId }: CountWaitingFactsRequest, call: CallContext): Promise<CountWaitingFactsResponse> =>
    readAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<WaitingCount>(SQL, [accountId]);
      return { waiting: rows };
    });
