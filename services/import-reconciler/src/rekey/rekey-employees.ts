import { setTimeout } from 'node:timers/promises';
import { lockImportIds } from '@survey/bus/facts/former-import-ids.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import { type Client, inAccount, inAccountRolledBack, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { QueueTimeoutError } from '@survey/process/fair-limiter.ts';
import type { RekeyOutcome, RekeyRow } from '@survey/proto/common/v1/rekeying.ts';
import type { RekeyEmployeesRequest, RekeyEmployeesRequest_Head } from '@survey/proto/imports/v1/imports.ts';
import { busy, conflict, invalid } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { AccountSlots } from '../account-slots.ts';
import { prepareTransaction } from '../apply/apply-import.ts';
import { lockIfFree } from '../apply/dry-run-import.ts';
import { countChanges, findNamedEmployees, findRefusals, mergeRefusals, readPlan, receiveMap } from './rekey-map.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import { EmployeeEvent } from '@survey/proto/events/v1/events.ts';
import { renewEmployeesVersion } from '../tables/account-lock.ts';

interface RekeyContext {
  readonly pool: Pool;
  // Wakes the relay to publish messages.
  readonly wake: (accountId: number) => void;
}

const QUEUE_TIMEOUT_MS = 10_000;
const ROWS_TIMEOUT_MS = 10_000;

/**
 * Gives employees other import_ids, those of a new HR system, or brings employees from files and
 * the application under the care of the import: all rows of a map in one transaction, or none (rule
 * IMPORT-IDENTITY-16). A dry run is the same transaction, rolled back.
 */
export function rekeyEmployees({ pool, wake }: RekeyContext) {
  const slots = new AccountSlots({ max: 1, maxPerAccount: 1 });
  return async (requests: AsyncIterable<RekeyEmployeesRequest>, call: CallContext): Promise<RekeyOutcome> => {
    const accountId = accountOf(call);
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
    const { head } = first.value;
    const work = (tx: Client): Promise<RekeyOutcome> => rekey(tx, accountId, head, rowsOf(messages));
    const run = (): Promise<RekeyOutcome> =>
      head.dry_run ? inAccountRolledBack(pool, accountId, work, call.signal) : inAccount(pool, accountId, work);
    const outcome = await slots.run(accountId, run, { signal: call.signal, timeoutMs: QUEUE_TIMEOUT_MS }).catch(rejectQueued);
    if (!head.dry_run) wake(accountId);
    return outcome;
  };
}

function rejectQueued(error: unknown): never {
  throw error instanceof QueueTimeoutError ? busy('another map is being applied: retry when that has ended') : error;
}

// The transaction that stores the rows waits for them, so the operator may not stall.
async function* rowsOf(messages: AsyncIterator<RekeyEmployeesRequest>): AsyncGenerator<readonly RekeyRow[]> {
  const stalled = (): never => {
    throw invalid(`no rows of the map arrived for ${ROWS_TIMEOUT_MS / 1_000} s: send it again`);
  };
  for (;;) {
    const cancelled = new AbortController();
    const timeout = setTimeout(ROWS_TIMEOUT_MS, undefined, cancelled).then(stalled);
    const message = await Promise.race([messages.next(), timeout]).finally(() => cancelled.abort());
    if (message.done === true) return;
    if (message.value.rows != null) yield message.value.rows.rows;
  }
}

async function rekey(
  tx: Client,
  accountId: number,
  head: RekeyEmployeesRequest_Head,
  batches: AsyncIterable<readonly RekeyRow[]>,
): Promise<RekeyOutcome> {
  const { by_email: isByEmail, dry_run: isDryRun, expected_plan: expectedPlan } = head;
  await prepareTransaction(tx);
  const { rows, malformed, hasOrigins } = await receiveMap(tx, batches, isByEmail);
  // A dry run does not delay imports: what it reports may change until the map is applied.
  if (!isDryRun) await lockForRekeying(tx, accountId);
  await lockIfFree(tx, accountId);
  await findNamedEmployees(tx, accountId, isByEmail);
  const { refusals, total } = mergeRefusals(malformed, await findRefusals(tx, accountId, isByEmail));
  const judged = { rows, changed: 0, reused: 0, refusals: [...refusals], refusals_total: total };
  if (total > 0 && !isDryRun) throw conflict(`${total} rows of the map are refused now: repeat the command to see them`);
  if (total > 0) return { ...judged, plan: Buffer.alloc(0), employee_ids: [], former: [] };
  const { digest, employeeIds, former } = await readPlan(tx, isByEmail || hasOrigins);
  if (expectedPlan.length > 0 && !digest.equals(expectedPlan))
    throw conflict('the employees of the map have changed since the dry run: repeat the command');
  const counts = await countChanges(tx);
  await failpoint('rekey.planned');
  if (!isDryRun && counts.changed > 0) await writeRekeyed(tx, accountId);
  await failpoint('rekey.written');
  return { ...judged, ...counts, plan: digest, employee_ids: employeeIds, former };
}

// From now on no import is accepted, whose snapshot may have been made for the old import_ids.
// Facts hold the lock for a short time, so it is worth waiting for.
async function lockForRekeying(tx: Client, accountId: number): Promise<void> {
  await tx.query("set local lock_timeout = '10s'");
  await lockImportIds(tx, accountId).catch((error: unknown) => {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw busy('facts of this account are being applied: retry later');
  });
}

// Everything that belongs to an employee refers to the id, except for what has stored an import_id
// because a record or a fact named it. In the order in which it must run.
const WRITES = [
  // References of other services, while the old import_ids still say whom they mean. The lock is
  // the one of export's writers, so that their batches and this wait for each other in one order.
  `select pg_advisory_xact_lock(hashtextextended('export.assignment', $1::bigint))`,
  `select imports.refer_by_id($1::bigint, array_agg(former_import_id), array_agg(employee_id))
   from rekeyed where is_changed and former_created_via = 'import_api'`,
  `update imports.deferred_fact f set employee_id = k.employee_id, employee_import_id = null
   from (select former_import_id, employee_id from rekeyed where is_changed and former_created_via = 'import_api') k
   where f.account_id = $1::bigint and f.employee_import_id = k.former_import_id`,
  `update imports.record_result r set import_id = k.new_import_id
   from (select former_import_id, new_import_id from rekeyed
         where is_changed and former_created_via = 'import_api' and created_via = 'import_api') k
   where r.account_id = $1::bigint and r.import_id = k.former_import_id`,
  // Within one statement, two employees cannot swap import_ids.
  `update imports.employee e set import_id = null
   from (select employee_id from rekeyed
         where is_changed and former_import_id in (select new_import_id from rekeyed where is_changed)) k
   where e.account_id = $1::bigint and e.id = k.employee_id`,
  `update imports.employee e set import_id = k.new_import_id, created_via = k.created_via, content_hash = null
   from (select employee_id, new_import_id, created_via from rekeyed where is_changed) k
   where e.account_id = $1::bigint and e.id = k.employee_id`,
  // Records that name a supervisor by one of these import_ids must be read again.
  `update imports.employee e set content_hash = null
   from (
     select b.id from imports.employee b
     where b.account_id = $1::bigint and (
       b.import_id in (select new_import_id from rekeyed where is_changed)
       or b.import_id in (select former_import_id from rekeyed where is_changed)
       or b.id in (select employee_id from rekeyed where is_changed))
   ) boss
   where e.account_id = $1::bigint and e.supervisor_id = boss.id and e.content_hash is not null`,
  // Facts that name an import_id mean who has it now, if anybody has.
  `delete from imports.former_import_id f
   using (
     select imports.identity_hash(s.hash_salt, 'import_id', k.new_import_id) as hash
     from rekeyed k join imports.account_state s on s.account_id = $1::bigint
     where k.is_changed and k.created_via = 'import_api'
   ) k
   where f.account_id = $1::bigint and f.import_id_hash = k.hash`,
  `insert into imports.former_import_id as f (account_id, import_id_hash, employee_id, ends_at)
   select $1::bigint, imports.identity_hash(s.hash_salt, 'import_id', k.former_import_id), k.employee_id, now() + interval '30 days'
   from rekeyed k join imports.account_state s on s.account_id = $1::bigint
   where k.is_changed and k.former_created_via = 'import_api' and not exists (
     select from rekeyed o where o.is_changed and o.created_via = 'import_api' and o.new_import_id = k.former_import_id)
   on conflict (account_id, import_id_hash) do update set employee_id = excluded.employee_id, ends_at = excluded.ends_at`,
  // A snapshot that was kept, or that an Idempotency-Key answers for, speaks of the old import_ids.
  `with kept as (
     update imports.import i set body_kept_until = null
     where i.account_id = $1::bigint and i.body_kept_until is not null
     returning i.import_uuid
   )
   delete from imports.payload p using kept k where p.account_id = $1::bigint and p.import_uuid = k.import_uuid`,
  `update imports.import set idempotency_key = null, body_sha256 = null
   where account_id = $1::bigint and idempotency_key is not null`,
];

/** Gives the employees of a map without refusals their import_ids. Needs the account's locks. */
async function writeRekeyed(tx: Client, accountId: number): Promise<void> {
  for (const statement of WRITES) await tx.query(statement, [accountId]);
  await renewEmployeesVersion(tx, accountId);
  const changed = 'select employee_id as id from rekeyed where is_changed order by line';
  for await (const employees of readBatches<{ id: number }>(tx, changed, EMPLOYEES_PER_EVENT))
    await enqueue(tx, 'imports', accountId, [{ subject: 'events.employee.updated', payload: eventOf(accountId, employees) }]);
}

const EMPLOYEES_PER_EVENT = 1_000;

function eventOf(accountId: number, employees: readonly { readonly id: number }[]): Uint8Array {
  const changed = employees.map(({ id }) => ({ id, changed_fields: ['import_id'] }));
  return EmployeeEvent.encode({ account_id: accountId, import_uuid: '', employees: changed }).finish();
}
