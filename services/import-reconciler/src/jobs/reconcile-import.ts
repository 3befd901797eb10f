import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { claimImport, countAttempt, finishImport, NO_COUNTS, type Ending, type ImportRow } from '../sql/import-row.ts';
import { readIntegration } from '../sql/integration.ts';
import { prepareTransaction } from '../sql/prepare-transaction.ts';
import { requestMail } from '../sql/mails.ts';
import { announceEmployees } from './announce-employees.ts';
import { applyImport, type ImportJob } from './apply-import.ts';

export interface Reconciling {
  pool: Pool;
  log: Log;
  // For which the body and the records of an import are kept once it has ended.
  retentionDays: number;
  progress: (phase: string, done: number, total: number) => void;
}

// An import that kills its worker so often is given up: nothing changed, and the account may import again.
const MOST_ATTEMPTS = 5;

/**
 * Applies an accepted import, or cancels it, in one transaction: readers see everything of it or nothing (rulings, first further
 * ruling). Running it twice does nothing the second time; a crash anywhere leaves nothing behind (reliability.md, section 2).
 * Answers with how the import ended, or undefined when it is over already or another worker holds it.
 */
export async function reconcileImport(job: ImportJob, tools: Reconciling): Promise<Ending | undefined> {
  const { pool, retentionDays } = tools;
  const attempts = await inAccount(pool, job.accountId, (tx) => countAttempt(tx, job.accountId, job.importUuid));
  if (attempts === undefined) return undefined;
  return inAccount(pool, job.accountId, async (tx) => {
    await prepareTransaction(tx);
    const row = await claimImport(tx, job.accountId, job.importUuid);
    if (row === undefined) return undefined;
    const ending = attempts > MOST_ATTEMPTS ? givenUp(attempts) : await conclude(tx, job, row, tools);
    await finishImport(tx, job, ending, retentionDays);
    if (ending.state === 'applied') await announceEmployees(tx, job);
    await announce(tx, job, ending);
    if (ending.state === 'applied' && ending.counts.skipped > 0) await requestMail(tx, job.accountId, job.importUuid);
    return ending;
  });
}

function givenUp(attempts: number): Ending {
  return { state: 'failed', counts: NO_COUNTS, cancelReasons: [`given up after ${attempts - 1} attempts`] };
}

async function conclude(tx: Client, job: ImportJob, row: ImportRow, tools: Reconciling): Promise<Ending> {
  // Whoever holds the account is waited for first: what counts is how things stand when the import is applied (rulings P19, J21).
  const state = await lockAccountState(tx, job.accountId);
  const integration = await readIntegration(tx, job.accountId);
  if (integration === undefined) {
    return {
      state: 'cancelled',
      counts: NO_COUNTS,
      cancelReasons: ['the REST API integration was disconnected before the import ran'],
    };
  }
  const { pool, progress } = tools;
  return applyImport(tx, { job, row, integration, state, pool, progress });
}

async function announce(tx: Client, { accountId, importUuid }: ImportJob, { state, counts }: Ending): Promise<void> {
  const event = ImportEvent.encode({ account_id: accountId, import_uuid: importUuid, state, counts }).finish();
  await enqueue(tx, 'imports', [{ accountId, subject: `events.import.${state}`, payload: event }]);
}
