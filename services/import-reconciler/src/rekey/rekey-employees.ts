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
import { lockIfFree } from '../apply/run-dry-run.ts';
import { countChanges, findNamedEmployees, findRefusals, mergeRefusals, readPlan, receiveMap } from './rekey-map.ts';
import { writeRekeyed } from './write-rekeyed.ts';

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
