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
 * Applies a batch of deferred facts whose employees exist now. Returns the milliseconds until the
 * next retry, undefined when no fact is deferred.
 */
export async function retryDeferredFacts<K extends 'assignment' | 'response'>(
  pool: Pool,
  accountId: number,
  deferral: EmployeeDeferral<K>,
  apply: ApplyFacts<K>,
): Promise<number | undefined> {
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
  const { facts, isFull } = await inPlan((tx) => readyFacts(tx, accountId, deferral));
  await applyHalving(facts);
  return isFull ? 0 : inPlan((tx) => nextRetryMs(tx, accountId, deferral));
}

// After an import, edits of an employee may be pending: their options are not final until then.
const WITHOUT_EDITS = `and not exists (
    select from imports.deferred_fact f where f.account_id = $1::bigint and f.kind = 'edit' and (
      f.employee_id = e.id or e.created_via = 'import_api' and f.employee_import_id = e.import_id))`;

async function readyFacts<K extends 'assignment' | 'response'>(
  tx: Client,
  accountId: number,
  { schema, kind, takesOptions }: EmployeeDeferral<K>,
): Promise<{ facts: readonly ValidFact<K>[]; isFull: boolean }> {
  const { rows } = await tx.query<DeferredRow>(
    // With "offset 0": one index lookup per fact, as in employees.ts.
    `select b.fact, b.revision, b.digest, b.source, b.line from (
     select w.fact, w.revision, w.digest, w.source, w.line,
       sum(octet_length(w.fact)) over (rows unbounded preceding) - octet_length(w.fact) as bytes_before
     from ${schema}.deferred_fact w cross join lateral (
       (select e.account_id, e.id, e.created_via, e.import_id from imports.employee e
        where e.account_id = $1::bigint and e.id = case when w.missing_object like 'employee %' then substr(w.missing_object, 10)::bigint end
        union all
        select e.account_id, e.id, e.created_via, e.import_id from imports.employee e
        where e.account_id = $1::bigint and e.created_via = 'import_api'
          and e.import_id = case when w.missing_object like 'import_id %' then substr(w.missing_object, 11) end) offset 0
     ) e
     where w.account_id = $1::bigint and w.kind = $2 ${takesOptions ? WITHOUT_EDITS : ''}
     limit ${BATCH_SIZE}) b where b.bytes_before < ${BATCH_BYTES}`,
    [accountId, kind],
  );
  return { facts: await readDeferredFacts(tx, accountId, { schema, kind }, rows), isFull: isFullBatch(rows) };
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
