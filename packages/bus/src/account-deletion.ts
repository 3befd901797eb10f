import { deleteAccountRows, finishDeletion, type OwnedSchema } from '@survey/postgres/account-rows.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { AccountEvent } from '@survey/proto/events/v1/events.ts';
import type { AccountWork } from './account-work.ts';
import { subscribe, type BusConnection } from './connection.ts';

const STEP_MS = 2_000;
// A transaction that began before the account was closed may still add rows: no statement outside
// an import lasts longer, and an import's row cannot be deleted while it runs.
const SETTLE_MS = 15_000;

/** Deletes the rows of closed accounts from the service's own schema (rule DATA-DELETION-1). */
export function accountDeletionWork(pool: Pool, schema: OwnedSchema): AccountWork {
  return {
    kind: 'delete-account',
    wokenBy: 'events.account.closed',
    sweep: async () => {
      const { rows } = await pool.query<{ account_id: number }>('select account_id from admin.accounts_to_delete() account_id');
      return rows.map(({ account_id }) => account_id);
    },
    work: async (accountId) => {
      const closedForMs = await closedFor(pool, accountId);
      if (closedForMs === undefined) return undefined;
      if (!(await deleteAccountRows(pool, schema, accountId, STEP_MS))) return 0;
      if (closedForMs < SETTLE_MS) return SETTLE_MS - closedForMs;
      await failpoint('deletion.schema_empty');
      await finishDeletion(pool, schema, accountId);
      await failpoint('deletion.schema_finished');
      return undefined;
    },
  };
}

/** Evicts what a service caches of an account when the account is closed. */
export function onAccountClosed(bus: BusConnection, { resources }: ServiceContext, evict: (accountId: number) => void): void {
  resources.use(subscribe(bus, 'events.account.closed', (payload) => evict(AccountEvent.decode(payload).account_id)));
}

async function closedFor(pool: Pool, accountId: number): Promise<number | undefined> {
  const { rows } = await pool.query<{ ms: number | null }>('select admin.closed_for_ms($1::bigint) as ms', [accountId]);
  return rows[0]?.ms ?? undefined;
}
