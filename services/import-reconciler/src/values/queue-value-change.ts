import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { ChangeValueRequest, ChangeValueResponse } from '@survey/proto/imports/v1/imports.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';

const QUEUE = `
insert into imports.value_change (account_id, option_id, new_name, maps_old_name)
select o.account_id, o.id, $3::text, $4::boolean
from imports.attribute_option o where o.account_id = $1::bigint and o.id = $2::integer
on conflict do nothing returning 1`;

/**
 * Requests that a value be renamed or merged, which is done when no import is being applied (rule
 * ATTRIBUTES-MERGE-1). account-admin has checked the names.
 * @throws `conflict` when the value is gone or is being changed already
 */
export const queueValueChange =
  (pool: Pool, wake: () => void) =>
  async (request: ChangeValueRequest, call: CallContext): Promise<ChangeValueResponse> => {
    const accountId = accountOf(call);
    await inAccount(pool, accountId, async (tx) => {
      const { option_id: optionId, new_name: newName, maps_old_name: mapsOldName } = request;
      const { rowCount } = await tx.query(QUEUE, [accountId, optionId, newName, mapsOldName]);
      if (rowCount === 0) throw conflict('the value is being changed already, or has just been merged: list the values again');
      await markDue(tx, 'imports', 'value-changes', [accountId]);
    });
    wake();
    return {};
  };
