import { BATCH_BYTES, BATCH_SIZE, columnsOf, type DeferredRow } from '@survey/bus/facts/deferred-facts.ts';
import { MAX_LOOKED_AT } from '@survey/bus/facts/retry-deferred.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';

/**
 * Defers facts that cannot be applied yet: about unknown employees (edit), or with an address of
 * another employee (address).
 */
export async function deferFacts(
  tx: Client,
  accountId: number,
  kind: 'edit' | 'address',
  facts: readonly EmployeeFact[],
): Promise<void> {
  if (facts.length === 0) return;
  await tx.query(
    `insert into imports.deferred_fact (account_id, kind, object_id, revision, digest, employee_id, employee_import_id, fact, source, line)
     select distinct on (digest, revision) $1::bigint, $2::text, encode(digest, 'hex') || '/' || revision, revision, digest, employee_id, employee_import_id, fact,
       source, line
     from unnest($3::bigint[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint[])
       as w (employee_id, employee_import_id, revision, digest, fact, source, line)
     on conflict (account_id, kind, object_id) do update set source = excluded.source, line = excluded.line`,
    [
      accountId,
      kind,
      facts.map(({ employee }) => ('id' in employee ? employee.id : null)),
      facts.map(({ employee }) => ('id' in employee ? null : employee.import_id)),
      ...columnsOf(facts),
    ],
  );
}

export interface DeferredFact extends DeferredRow {
  readonly kind: 'edit' | 'address';
  readonly object_id: string;
  readonly deferred_at: string;
}

/** Place of a deferred fact among those of its account. */
export type Position = Pick<DeferredFact, 'deferred_at' | 'line' | 'object_id'>;

// If more facts wait, the next retry finds those that a message has unblocked.
const MAX_TRIED_WITH_MESSAGES = 1_000;

/** Returns whether few facts wait, so that all of them can be tried with every message. */
export async function doFewWait(tx: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from imports.deferred_fact where account_id = $1 and kind in ('edit', 'supervisor', 'address')
     limit ${MAX_TRIED_WITH_MESSAGES + 1}`,
    [accountId],
  );
  return (rowCount ?? 0) <= MAX_TRIED_WITH_MESSAGES;
}

interface Wanted {
  /** Absent: all. Otherwise those about these employees. */
  readonly employeeIds: ReadonlySet<number> | undefined;
  readonly isBackwards: boolean;
  /** Where the batch before has ended. */
  readonly after: Position | undefined;
}

// With "offset 0": in the order of the index, and one lookup per employee and fact, whatever the
// planner knows of the account.
const waitingIn = (order: 'asc' | 'desc'): string => `
  select * from imports.deferred_fact
  where account_id = $1 and (deferred_at, line, object_id) ${order === 'asc' ? '>' : '<'} ($2::timestamptz, $3::bigint, $4::text)`;

const inOrder = (order: 'asc' | 'desc'): string => `order by w.deferred_at ${order}, w.line ${order}, w.object_id ${order}`;

const startOf = (order: 'asc' | 'desc', after: Position | undefined): readonly unknown[] =>
  after === undefined ? [order === 'asc' ? '-infinity' : 'infinity', 0, ''] : [after.deferred_at, after.line, after.object_id];

/**
 * Reads a batch of the facts that may be applicable now, oldest first unless backwards: their
 * employee exists, their address may be free, or their employee has a deferred address that an edit
 * may replace. Without employees, looks at a limited number of facts (lastLookedAt). If more than a
 * batch waits for certain employees, which ones are read is open.
 */
export async function readyFacts(
  tx: Client,
  accountId: number,
  { employeeIds, isBackwards, after }: Wanted,
): Promise<readonly DeferredFact[]> {
  const order = isBackwards ? 'desc' : 'asc';
  const about = `
    select f.* from unnest($5::bigint[]) as about (id)
    cross join lateral (
      ${waitingIn(order)} and employee_id = about.id
      union all
      ${waitingIn(order)} and employee_id is null and employee_import_id = (
        select case created_via when 'import_api' then import_id end from imports.employee where account_id = $1 and id = about.id)
      offset 0
    ) f`;
  const { rows } = await tx.query<DeferredFact>(
    `select b.* from (
     select w.kind, w.object_id, w.revision, w.digest, w.fact, w.source, w.line, w.deferred_at::text,
       sum(octet_length(w.fact)) over (${inOrder(order)} rows unbounded preceding) - octet_length(w.fact) as bytes_before
     from (
       select * from (${employeeIds === undefined ? `select * from (${waitingIn(order)}) w ${inOrder(order)} limit ${MAX_LOOKED_AT}` : about}) w
       where kind = 'address' or kind = 'edit' and (
         exists (select from imports.employee e where e.account_id = $1 and e.id = w.employee_id offset 0)
         or exists (select from imports.employee e
                    where e.account_id = $1 and e.created_via = 'import_api' and e.import_id = w.employee_import_id offset 0)
         or exists (select from imports.deferred_fact o
                    where o.account_id = $1 and o.kind = 'address' and o.employee_id = w.employee_id offset 0))
       limit ${BATCH_SIZE}) w
     ${inOrder(order)}) b where b.bytes_before < ${BATCH_BYTES}`,
    [accountId, ...startOf(order, after), ...(employeeIds === undefined ? [] : [[...employeeIds]])],
  );
  return rows;
}

/** Returns the last fact that is looked at for a batch of all facts; undefined at their end. */
export async function lastLookedAt(
  tx: Client,
  accountId: number,
  { isBackwards, after }: Omit<Wanted, 'employeeIds'>,
): Promise<Position | undefined> {
  const order = isBackwards ? 'desc' : 'asc';
  const { rows } = await tx.query<Position>(
    `select w.deferred_at::text, w.line, w.object_id from (${waitingIn(order)}) w ${inOrder(order)} offset ${MAX_LOOKED_AT - 1} limit 1`,
    [accountId, ...startOf(order, after)],
  );
  return rows[0];
}

/** Returns which of these keys have a fact deferred because of its address. */
export async function waitingForAddress(tx: Client, accountId: number, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ object_id: string }>(
    `select object_id from imports.deferred_fact where account_id = $1 and kind = 'address' and object_id = any($2::text[])`,
    [accountId, keys],
  );
  return new Set(rows.map(({ object_id }) => object_id));
}

export async function deleteDeferredFacts(
  tx: Client,
  accountId: number,
  facts: readonly Pick<DeferredFact, 'kind' | 'object_id'>[],
): Promise<void> {
  if (facts.length === 0) return;
  await tx.query(
    // By ctid and with "offset 0": one index lookup per fact.
    `delete from imports.deferred_fact where account_id = $1::bigint and ctid = any(array(
       select w.ctid from unnest($2::text[], $3::text[]) as done (kind, object_id) cross join lateral (
         select ctid from imports.deferred_fact w
         where w.account_id = $1::bigint and w.kind = done.kind and w.object_id = done.object_id offset 0) w))`,
    [accountId, facts.map(({ kind }) => kind), facts.map(({ object_id }) => object_id)],
  );
}

/** Returns the key of a deferred fact, the same for every redelivery of the fact. */
export function deferredFactKey({ revision, digest }: EmployeeFact): string {
  return `${digest.toString('hex')}/${revision}`;
}
