import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { lockAccountState, type Stage } from '../tables/account-state.ts';
import type { StageDefinition } from './stage-definition.ts';

interface Backfill {
  readonly version: string | null;
  readonly basis: string;
  // Answers below this id have been queued if they needed it.
  readonly enqueued_below: number;
}

/** Returns the accounts whose backfill of a stage is missing, out of date or incomplete. */
export async function accountsToBackfill(pool: Pool, stage: Stage, basis: string): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_to_backfill($1, $2) as id', [stage, basis]);
  return rows.map(({ id }) => id);
}

/**
 * Returns the inputs of a backfill: model versions, account settings and, for topics, the taxonomy.
 */
async function currentBasis(tx: Client, accountId: number, stage: Stage, models: string): Promise<string> {
  const { rows } = await tx.query<{ basis: string }>('select text.backfill_basis($1, $2, $3) as basis', [
    accountId,
    stage,
    models,
  ]);
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0].basis;
}

export async function readBackfill(tx: Client, accountId: number, stage: Stage): Promise<Backfill | undefined> {
  const { rows } = await tx.query<Backfill>(
    'select version, basis, enqueued_below from text.backfill where account_id = $1 and stage = $2',
    [accountId, stage],
  );
  return rows[0];
}

async function saveBackfill(tx: Client, accountId: number, stage: Stage, backfill: Backfill): Promise<void> {
  await tx.query(
    `insert into text.backfill (account_id, stage, version, basis, enqueued_below) values ($1, $2, $3, $4, $5)
     on conflict (account_id, stage) do update set version = excluded.version, basis = excluded.basis, enqueued_below = excluded.enqueued_below`,
    [accountId, stage, backfill.version, backfill.basis, backfill.enqueued_below],
  );
}

/**
 * Deletes queued and given-up answers of another version; the backfill queues them again. Answers
 * given up because of crashes remain given up.
 */
async function clearStage(tx: Client, accountId: number, stage: Stage): Promise<void> {
  await tx.query('delete from text.pending where account_id = $1 and stage = $2', [accountId, stage]);
  await tx.query('delete from text.given_up where account_id = $1 and stage = $2 and not crashed', [accountId, stage]);
}

// Answers per transaction. A transaction takes some 100 ms, which blocks other writers of the
// account.
const BATCH_SIZE = 10_000;

/**
 * Queues one chunk of an account's backfill after a change of settings or model: all answers
 * without a result of the current version. Continues where it was interrupted. The intake queues
 * answers that arrive in the meantime. Returns whether chunks remain.
 */
export async function backfillStages(
  pool: Pool,
  works: readonly StageDefinition<unknown, unknown>[],
  accountId: number,
): Promise<boolean> {
  let hasMore = false;
  for (const work of works) hasMore = (await inAccount(pool, accountId, (tx) => backfillBatch(tx, accountId, work))) || hasMore;
  return hasMore;
}

// Returns false when the backfill is complete.
async function backfillBatch<R, P>(tx: Client, accountId: number, work: StageDefinition<R, P>): Promise<boolean> {
  const { answers } = await lockAccountState(tx, accountId);
  const backfill = await currentBackfill(tx, accountId, work);
  if (backfill === undefined) return false;
  const enqueued_below = backfill.version === null ? answers : Math.min(answers, backfill.enqueued_below + BATCH_SIZE);
  if (backfill.version !== null)
    await work.queueOutdated(tx, accountId, backfill.version, { from: backfill.enqueued_below, to: enqueued_below });
  await saveBackfill(tx, accountId, work.stage, { ...backfill, enqueued_below });
  return enqueued_below < answers;
}

// Returns undefined if the backfill is left to processes of another release.
async function currentBackfill<R, P>(tx: Client, accountId: number, work: StageDefinition<R, P>): Promise<Backfill | undefined> {
  const progress = await readBackfill(tx, accountId, work.stage);
  const basis = await currentBasis(tx, accountId, work.stage, work.basis);
  if (progress?.basis === basis) return progress;
  const version = await work.wantedVersion(tx, accountId);
  if (progress?.version === version) return { ...progress, basis };
  if (typeof progress?.version === 'string' && version !== null && work.yieldsTo?.(accountId, progress.version, version))
    return undefined;
  await clearStage(tx, accountId, work.stage);
  return { version, basis, enqueued_below: 0 };
}
