import type { AccountWork } from '../account-work.ts';
import { changesEmployees } from '../events.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { isStatementTimeout } from '@survey/postgres/database-error.ts';
import type { DueSchema } from '@survey/postgres/due.ts';
import { ImportEvent } from '@survey/proto/events/v1/events.ts';
import type { EmployeeDeferral } from './apply-by-employee.ts';
import { LOCK_TIMEOUT_MS } from './consume-facts.ts';
import {
  accountsWithDeferredFacts,
  BATCH_BYTES,
  BATCH_SIZE,
  isFullBatch,
  readDeferredFacts,
  rejectDeferred,
  type DeferredRow,
} from './deferred-facts.ts';
import type { ApplyFacts, ValidFact } from './fact.ts';

const MIN_WAIT_MS = 2_000;
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Creates the account work that retries deferred facts: soon after they are deferred, when an
 * import has changed employees, and at intervals that grow with their age, in case the bus has lost
 * the event. `retry` returns as AccountWork.work does.
 */
export function deferredFactWork(pool: Pool, schema: DueSchema, retry: AccountWork['work']): AccountWork {
  return {
    kind: 'facts',
    wokenBy: 'events.import.applied',
    isDueAfter: async (event) => {
      const { account_id, counts } = ImportEvent.decode(event);
      return (
        (counts == null || changesEmployees(counts)) &&
        inAccount(pool, account_id, (tx) => hasDeferredFacts(tx, schema, account_id))
      );
    },
    sweep: (pool) => accountsWithDeferredFacts(pool, schema),
    work: retry,
  };
}

async function hasDeferredFacts(tx: Client, schema: DueSchema, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query(`select from ${schema}.deferred_fact where account_id = $1 limit 1`, [accountId]);
  return rowCount !== 0;
}

/**
 * Creates the retry of deferred facts whose employees exist now. Each call applies a batch and
 * returns the milliseconds until the next one, undefined when no fact is deferred.
 * @param keptDays answers are deleted that have waited for as long as accounts without a setting
 *   keep them; 0 and absent: never
 */
export function retryDeferredFacts<K extends 'assignment' | 'response'>(
  pool: Pool,
  deferral: EmployeeDeferral<K>,
  apply: ApplyFacts<K>,
  keptDays?: number,
): AccountWork['work'] {
  // How far each account has come. After a restart, it begins again.
  const ends = new Map<number, Position>();
  return async (accountId) => {
    const inPlan = <T>(work: (tx: Client) => Promise<T>): Promise<T> =>
      inAccount(pool, accountId, work, { lockTimeoutMs: LOCK_TIMEOUT_MS, plansForAnyAccount: true });
    // As in consume-facts.ts: a fact that takes too long must not block the others.
    const applyHalving = async (facts: readonly ValidFact<K>[]): Promise<void> => {
      if (facts.length === 0) return;
      try {
        // Applying a fact also deletes it from the table.
        await inPlan((tx) => apply(tx, accountId, facts));
      } catch (error) {
        if (!isStatementTimeout(error)) throw error;
        const middle = Math.ceil(facts.length / 2);
        const tooSlow = facts.map((incoming) => ({ incoming, reason: 'database_too_slow' as const }));
        if (facts.length === 1) return inPlan((tx) => rejectDeferred(tx, accountId, deferral, tooSlow));
        await applyHalving(facts.slice(0, middle));
        await applyHalving(facts.slice(middle));
      }
    };
    if (keptDays !== undefined && !ends.has(accountId)) await inPlan((tx) => deleteExpired(tx, accountId, deferral, keptDays));
    const { facts, end } = await inPlan((tx) => readyFacts(tx, accountId, deferral, ends.get(accountId) ?? START));
    await applyHalving(facts);
    if (end !== undefined) {
      ends.set(accountId, end);
      return 0;
    }
    ends.delete(accountId);
    return inPlan((tx) => nextRetryMs(tx, accountId, deferral));
  };
}

/** Deletes answers that nobody may keep any longer (rule DATA-RETENTION-2). */
async function deleteExpired(
  tx: Client,
  accountId: number,
  { schema, kind }: EmployeeDeferral<'assignment' | 'response'>,
  keptDays: number,
): Promise<void> {
  await tx.query(
    `delete from ${schema}.deferred_fact where account_id = $1::bigint and kind = $2
       and deferred_at < now() - admin.retention_days($1::bigint, 'answers', $3::float8) * interval '1 day'`,
    [accountId, kind, keptDays],
  );
}

/** Place of a deferred fact in the order in which the facts of its account and kind are retried. */
interface Position {
  readonly object_id: string;
  readonly missing_object: string;
}

const START: Position = { object_id: '', missing_object: '' };
/** Deferred facts that are looked at for a batch. */
export const MAX_LOOKED_AT = 10_000;

// After an import, edits of an employee may be pending: their options are not final until then.
const WITHOUT_EDITS = `not exists (
    select from imports.deferred_fact f where f.account_id = $1::bigint and f.kind = 'edit' and (
      f.employee_id = e.id or e.created_via = 'import_api' and f.employee_import_id = e.import_id))`;

// Returns also where the batch ends; undefined if that is the end of all facts.
async function readyFacts<K extends 'assignment' | 'response'>(
  tx: Client,
  accountId: number,
  { schema, kind, takesOptions }: EmployeeDeferral<K>,
  after: Position,
): Promise<{ facts: readonly ValidFact<K>[]; end: Position | undefined }> {
  const parameters = [accountId, kind, after.object_id, after.missing_object];
  const selectWaiting = `
    select * from ${schema}.deferred_fact
    where account_id = $1::bigint and kind = $2 and (object_id, missing_object) > ($3::text, $4::text)
    order by object_id, missing_object`;
  const { rows } = await tx.query<DeferredRow & Position>(
    // With "offset 0": one index lookup per fact, as in employees.ts.
    `select b.fact, b.revision, b.digest, b.source, b.line, b.object_id, b.missing_object from (
     select w.fact, w.revision, w.digest, w.source, w.line, w.object_id, w.missing_object,
       sum(octet_length(w.fact)) over (rows unbounded preceding) - octet_length(w.fact) as bytes_before
     from (${selectWaiting} limit ${MAX_LOOKED_AT}) w cross join lateral (
       (select e.account_id, e.id, e.created_via, e.import_id from imports.employee e
        where e.account_id = $1::bigint and e.id = case when w.missing_object like 'employee %' then substr(w.missing_object, 10)::bigint end
        union all
        select e.account_id, e.id, e.created_via, e.import_id from imports.employee e
        where e.account_id = $1::bigint and e.created_via = 'import_api'
          and e.import_id = case when w.missing_object like 'import_id %' then substr(w.missing_object, 11) end) offset 0
     ) e
     ${takesOptions ? `where ${WITHOUT_EDITS}` : ''}
     limit ${BATCH_SIZE}) b where b.bytes_before < ${BATCH_BYTES}`,
    parameters,
  );
  const facts = await readDeferredFacts(tx, accountId, { schema, kind }, rows);
  if (isFullBatch(rows)) return { facts, end: rows.at(-1) };
  const looked = await tx.query<Position>(
    `select object_id, missing_object from (${selectWaiting} offset ${MAX_LOOKED_AT - 1} limit 1) w`,
    parameters,
  );
  return { facts, end: looked.rows[0] };
}

/**
 * Returns the milliseconds until the account's deferred facts of this kind, or of all kinds, are
 * retried, undefined when there are none.
 */
export async function nextRetryMs(
  tx: Client,
  accountId: number,
  { schema, kind }: { readonly schema: DueSchema; readonly kind?: string },
): Promise<number | undefined> {
  const { rows } = await tx.query<{ ms: number }>(
    `select extract(epoch from now() - deferred_at)::float8 * 1000 as ms
     from ${schema}.deferred_fact where account_id = $1::bigint ${kind === undefined ? '' : 'and kind = $2'}
     order by deferred_at desc limit 1`,
    kind === undefined ? [accountId] : [accountId, kind],
  );
  const waitedMs = rows[0]?.ms;
  return waitedMs === undefined ? undefined : Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitedMs));
}
