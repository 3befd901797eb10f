import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { KeyUsage, ListUsageRequest, ListUsageResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../with-account.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

const SQL = `select key_id, to_char(day, 'YYYY-MM-DD') as day, succeeded, rejected, throttled, failed from admin.key_usage
  where account_id = $1::bigint and day > (now() at time zone 'utc')::date - $2::integer order by key_usage.day, key_id`;

/** Returns the requests of each key by day. Gateways report them once a minute. */
export const listUsage =
  (pool: Pool) =>
  async ({ account_id: accountId, days }: ListUsageRequest, call: CallContext): Promise<ListUsageResponse> => {
    const back = days ?? DEFAULT_DAYS;
    if (back < 1 || back > MAX_DAYS) throw invalid(`days must be 1 to ${MAX_DAYS}`);
    return withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<KeyUsage>(SQL, [accountId, back]);
      return { usage: rows };
    });
  };
