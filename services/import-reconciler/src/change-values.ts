import type { AccountWork } from '@survey/bus/account-work.ts';
import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { EmployeeEvent } from '@survey/proto/events/v1/events.ts';
import { AccountBusyError, lockForFacts, renewEmployeesVersion } from './tables/account-lock.ts';
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
      if (rowCount === 0)
        throw conflict('the value is being changed already, or has just been merged: list the values again', 'value_changing');
      await markDue(tx, 'imports', 'value-changes', [accountId]);
    });
    wake();
    return {};
  };

const BUSY_RETRY_MS = 1_000;
// Enough for a value that a million employees have.
const MAX_STATEMENT_MS = 5 * 60_000;

/**
 * Renames and merges values of attributes as admins have requested (docs/rules/attributes.md).
 *
 * A value that is merged into another one becomes an alias of it (imports.option_alias). One
 * transaction, which locks the account as an import does, gives the other value to its employees
 * and grants, so no page and no later import sees half of a merge. Stored answers are not written:
 * they keep the id that their respondent had, and scoring-anonymity and text-analysis take it for
 * the value that it was merged into. So blocks of closed cycles stay as they are, and a filter by
 * the merged value returns what a filter by both values did before: comparing results from before
 * and after a merge tells nothing new (rule ATTRIBUTES-MERGE-4).
 *
 * If records should go on creating the old value, the employees who have it lose their content
 * hashes, so that the next import reads their records again.
 */
export function valueChangeWork(pool: Pool, wake: (accountId: number) => void): AccountWork {
  return {
    kind: 'value-changes',
    concurrency: 1,
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from imports.accounts_with_value_changes() as id');
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      try {
        const isDone = await inAccount(pool, accountId, (tx) => changeNext(tx, accountId));
        wake(accountId);
        return isDone ? undefined : 0;
      } catch (error) {
        if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
        throw error;
      }
    },
  };
}

interface ValueChange {
  readonly optionId: number;
  readonly attributeId: number;
  // Null: the value has been deleted or merged since.
  readonly oldName: string | null;
  readonly newName: string;
  readonly mapsOldName: boolean;
  // The value that has the new name already, if any.
  readonly targetId: number | null;
}

type NamedChange = ValueChange & { readonly oldName: string };

const NEXT = `
select c.option_id as "optionId", o.attribute_id as "attributeId", o.name as "oldName", c.new_name as "newName",
  c.maps_old_name as "mapsOldName", t.id as "targetId"
from (
  select option_id, new_name, maps_old_name from imports.value_change
  where account_id = $1::bigint order by requested_at, option_id limit 1
) c
left join lateral (
  select id, attribute_id, name from imports.attribute_option
  where account_id = $1::bigint and id >= c.option_id order by id limit 1
) o on o.id = c.option_id
left join lateral (
  select id, name from imports.attribute_option
  where account_id = $1::bigint and attribute_id = o.attribute_id and name >= c.new_name order by name limit 1
) t on t.name = c.new_name and t.id <> o.id`;

// Returns whether no change is left. Whether a value has the new name is looked up again: an import
// may have created it since the admin confirmed.
async function changeNext(tx: Client, accountId: number): Promise<boolean> {
  await lockForFacts(tx, accountId);
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const { rows } = await tx.query<ValueChange>(NEXT, [accountId]);
  const [change] = rows;
  if (change === undefined) return true;
  const { optionId, targetId, oldName } = change;
  await tx.query('delete from imports.value_change where account_id = $1::bigint and option_id = $2::integer', [
    accountId,
    optionId,
  ]);
  if (oldName === null) return false;
  const employees = await (targetId === null
    ? renameValue(tx, accountId, { ...change, oldName })
    : mergeValue(tx, accountId, { ...change, oldName, targetId }));
  await renewEmployeesVersion(tx, accountId);
  await failpoint('values.changed');
  await enqueueUpdates(tx, accountId, employees);
  return false;
}

// A name that meant another value until now is this value's name only. The alias for the old name
// needs an id of its own.
const RENAME = `
with former as (
  update imports.option_alias set is_mapped = false
  where account_id = $1::bigint and attribute_id = $3::integer and name = $5::text and is_mapped
), renamed as (
  update imports.attribute_option set name = $5::text where account_id = $1::bigint and id = $2::integer
), alias as (
  insert into imports.option_alias (account_id, id, attribute_id, name, is_mapped, option_id)
  select $1::bigint, s.next_option_id, $3::integer, $4::text, true, $2::integer
  from imports.account_state s where s.account_id = $1::bigint and $6::boolean
  returning 1
)
update imports.account_state
set dictionary_version = dictionary_version + 1, next_option_id = next_option_id + $6::boolean::integer
where account_id = $1::bigint`;

async function renameValue(tx: Client, accountId: number, change: NamedChange): Promise<UpdatedEmployees[]> {
  const { optionId, attributeId, oldName, newName, mapsOldName } = change;
  await tx.query(RENAME, [accountId, optionId, attributeId, oldName, newName, mapsOldName]);
  if (!mapsOldName) await tx.query(FORGET_RECORDS, [accountId, optionId]);
  const { rows } = await tx.query<UpdatedEmployees>(HOLDERS, [accountId, optionId]);
  return rows;
}

const FORGET_RECORDS = `
update imports.employee set content_hash = null
where account_id = $1::bigint and (option_ids @> array[$2::integer] or granted_option_ids @> array[$2::integer])`;

// Maximum employees per event. Their ids are read as one string, which is much faster than a row
// each.
const TOGETHER = 1_000;

const HOLDERS = `
select 'attributes' as changed, string_agg(id::text, ',') as ids
from imports.employee where account_id = $1::bigint and option_ids @> array[$2::integer]
group by id / ${TOGETHER}`;

const MAKE_ALIAS = `
with followed as (
  update imports.option_alias set option_id = $5::integer where account_id = $1::bigint and option_id = $2::integer
), former as (
  insert into imports.option_alias (account_id, id, attribute_id, name, is_mapped, option_id)
  values ($1::bigint, $2::integer, $3::integer, $4::text, $6::boolean, $5::integer)
), merged as (
  delete from imports.attribute_option where account_id = $1::bigint and id = $2::integer
), used as (
  update imports.attribute_option set unused_since = null where account_id = $1::bigint and id = $5::integer
)
update imports.account_state set dictionary_version = dictionary_version + 1 where account_id = $1::bigint`;

// $2: the merged value, $3: the one that it becomes. Options are sorted by attribute, then id, and
// nobody has one twice.
const MOVE = `
with moved as (
  update imports.employee e set
    option_ids = case when not h.has_value then e.option_ids else array(
      select d.id
      from (select distinct case when o.id = $2::integer then $3::integer else o.id end as id from unnest(e.option_ids) o (id)) d
      join imports.attribute_option v on v.account_id = $1::bigint and v.id = d.id
      order by v.attribute_id, d.id) end,
    granted_option_ids = case when not h.has_grant then e.granted_option_ids else array(
      select distinct case when g.id = $2::integer then $3::integer else g.id end as id
      from unnest(e.granted_option_ids) g (id) order by 1) end,
    content_hash = case when $4::boolean then e.content_hash end
  from (
    select id, option_ids @> array[$2::integer] as has_value, granted_option_ids @> array[$2::integer] as has_grant
    from imports.employee where account_id = $1::bigint
  ) h
  where e.account_id = $1::bigint and e.id = h.id and (h.has_value or h.has_grant)
  returning e.id, h.has_value, h.has_grant
)
select concat_ws(',', case when has_value then 'attributes' end, case when has_grant then 'permissions' end) as changed,
  string_agg(id::text, ',') as ids
from moved group by 1, id / ${TOGETHER}`;

async function mergeValue(
  tx: Client,
  accountId: number,
  { optionId, targetId, attributeId, oldName, mapsOldName }: NamedChange & { readonly targetId: number },
): Promise<UpdatedEmployees[]> {
  const { rows } = await tx.query<UpdatedEmployees>(MOVE, [accountId, optionId, targetId, mapsOldName]);
  await tx.query(MAKE_ALIAS, [accountId, optionId, attributeId, oldName, targetId, mapsOldName]);
  return rows;
}

/** Employees with the same changed fields; fields and ids are separated by commas. */
interface UpdatedEmployees {
  readonly changed: string;
  readonly ids: string;
}

async function enqueueUpdates(tx: Client, accountId: number, employees: readonly UpdatedEmployees[]): Promise<void> {
  const events = employees.map(({ changed, ids }): OutboxEntry => {
    const changed_fields = changed.split(',');
    const updated = ids.split(',').map((id) => ({ id: Number(id), changed_fields }));
    return {
      subject: 'events.employee.updated',
      payload: EmployeeEvent.encode({ account_id: accountId, import_uuid: '', employees: updated }).finish(),
    };
  });
  await enqueue(tx, 'imports', accountId, events);
}
