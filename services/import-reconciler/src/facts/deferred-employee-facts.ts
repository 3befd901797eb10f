import {
  BATCH_BYTES,
  BATCH_SIZE,
  columnsOf,
  type DeferredRow,
  isFullBatch,
  readDeferredFacts,
  rejectDeferred,
} from '@survey/bus/facts/deferred-facts.ts';
import { MAX_LOOKED_AT, nextRetryMs } from '@survey/bus/facts/retry-deferred.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { type EmployeeFact, parseEmployeeFact } from '../rules/employee-fact.ts';
import { AccountBusyError, type LockedAccount, lockForFacts } from '../tables/account-lock.ts';
import { assignDeferredSupervisors } from './fact-supervisors.ts';
import { invalidateContentHashes } from './invalidate-content-hashes.ts';
import { writeFacts } from './write-facts.ts';

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

/** Place of a deferred fact in the order in which the facts of its account are retried. */
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
  /** Only facts about these employees; undefined: about all. */
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

async function deleteDeferredFacts(
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

const BUSY_RETRY_MS = 3_000;

/**
 * Creates the retry of deferred facts whose employee or address is available now. Each call applies
 * a batch and returns the milliseconds until the next one, undefined when no fact is deferred:
 * messages of the account, and other accounts, have their turns in between.
 */
export function retryDeferredFacts(pool: Pool): (accountId: number) => Promise<number | undefined> {
  // How far each account has come. After a restart, a pass begins again.
  const turns = new Map<number, Turn>();
  return async (accountId) => {
    const turn = turns.get(accountId) ?? { pass: FIRST_PASS, supervisorsAfter: '' };
    try {
      const { next, againInMs } = await inAccount(pool, accountId, async (tx) => {
        const next = await takeTurn(tx, accountId, turn);
        return { next, againInMs: next === undefined ? await retryMs(tx, accountId) : 0 };
      });
      if (next === undefined) turns.delete(accountId);
      else turns.set(accountId, next);
      return againInMs;
    } catch (error) {
      if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
      throw error;
    }
  };
}

/** Schedules the retry of the account's deferred facts, if it has any. */
export async function scheduleRetry(tx: Client, accountId: number): Promise<void> {
  const againInMs = await retryMs(tx, accountId);
  if (againInMs !== undefined) await markDue(tx, 'imports', 'facts', [accountId], againInMs);
}

/** All passes through the waiting facts, then one through the waiting supervisors. */
interface Turn {
  readonly pass: Pass | undefined;
  readonly supervisorsAfter: string;
}

async function takeTurn(tx: Client, accountId: number, { pass, supervisorsAfter }: Turn): Promise<Turn | undefined> {
  const account = await lockForFacts(tx, accountId);
  const next = pass && (await applyBatch(tx, account, pass));
  if (next !== undefined) return { pass: next, supervisorsAfter };
  const last = await assignSupervisors(tx, accountId, { after: supervisorsAfter });
  return last === undefined ? undefined : { pass: undefined, supervisorsAfter: last };
}

const retryMs = (tx: Client, accountId: number): Promise<number | undefined> => nextRetryMs(tx, accountId, { schema: 'imports' });

/** A pass through the waiting facts, and how far it has come. */
interface Pass {
  readonly nth: number;
  readonly after: Position | undefined;
  readonly hasChanged: boolean;
}

const FIRST_PASS: Pass = { nth: 0, after: undefined, hasChanged: false };
const DEFERRED = { schema: 'imports', kind: 'employee' } as const;
const MAX_PASSES = 10;
// Batches that are applied along with a message; the rest is left to a retry.
const MAX_BATCHES = 10;

/**
 * Applies deferred facts under the account's lock: all of them, or a batch about these employees.
 * Repeats while a pass changes something, because one fact may unblock another.
 */
export async function applyDeferredFacts(tx: Client, account: LockedAccount, employeeIds?: Set<number>): Promise<void> {
  let pass: Pass | undefined = FIRST_PASS;
  for (let batch = 0; batch < MAX_BATCHES && pass !== undefined; batch += 1)
    pass = await applyBatch(tx, account, pass, employeeIds);
  await assignSupervisors(tx, account.accountId, employeeIds && { ids: employeeIds });
}

// Returns the pass of the next batch, undefined at the end. Facts that still cannot be applied are
// skipped and do not block later ones. In a chain of addresses, each fact waits for the one after
// it, or before it: every second pass goes backwards.
async function applyBatch(tx: Client, account: LockedAccount, pass: Pass, employeeIds?: Set<number>): Promise<Pass | undefined> {
  const { accountId } = account;
  const { nth, after } = pass;
  let { hasChanged } = pass;
  const isBackwards = nth % 2 === 1;
  const ready = await readyFacts(tx, accountId, { employeeIds, isBackwards, after });
  const isFull = isFullBatch(ready);
  const all = { isBackwards, after };
  // Before any is deleted. What remains of facts about certain employees is left to a retry, or
  // each message would read all that wait for its employees.
  const end = employeeIds !== undefined ? undefined : isFull ? ready.at(-1) : await lastLookedAt(tx, accountId, all);
  if (ready.length > 0) {
    const facts = await readDeferredFacts(tx, accountId, DEFERRED, ready);
    const { unknown, rejected, refused, changedIds } = await writeFacts(tx, account, facts.map(parseEmployeeFact));
    await rejectDeferred(
      tx,
      accountId,
      DEFERRED,
      refused.map((incoming) => ({ incoming, reason: 'too_many_values' as const })),
    );
    const waitingKeys = new Set([...unknown, ...rejected].map(deferredFactKey));
    const applied = ready.filter(({ object_id }) => !waitingKeys.has(object_id));
    await deleteDeferredFacts(tx, accountId, applied);
    if (employeeIds !== undefined) for (const id of changedIds) employeeIds.add(id);
    hasChanged ||= applied.length > 0;
  }
  if (end !== undefined) return { nth, after: end, hasChanged };
  return hasChanged && !isFull && nth + 1 < MAX_PASSES ? { ...FIRST_PASS, nth: nth + 1 } : undefined;
}

// Returns the last employee of a full batch.
async function assignSupervisors(
  tx: Client,
  accountId: number,
  which?: Parameters<typeof assignDeferredSupervisors>[2],
): Promise<string | undefined> {
  const { supervisedIds, last } = await assignDeferredSupervisors(tx, accountId, which);
  await invalidateContentHashes(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
  return last;
}
