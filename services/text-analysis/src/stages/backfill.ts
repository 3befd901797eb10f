import type { Client, Pool } from '@survey/postgres/database.ts';
import type { Stage } from '../tables/account-state.ts';

export interface Backfill {
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
export async function currentBasis(tx: Client, accountId: number, stage: Stage, models: string): Promise<string> {
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

export async function saveBackfill(tx: Client, accountId: number, stage: Stage, backfill: Backfill): Promise<void> {
  await tx.query(
    `insert into text.backfill (account_id, stage, version, basis, enqueued_below) values ($1, $2, $3, $4, $5)
     on conflict (account_id, stage) do update set version = excluded.version, basis = excluded.basis, enqueued_below = excluded.enqueued_below`,
    [accountId, stage, backfill.version, backfill.basis, backfill.enqueued_below],
  );
}

/**
 * Deletes queued and given-up answers of another version; the backfill queues them again. Answers
 * given up because of crashes stay so.
 */
export async function clearStage(tx: Client, accountId: number, stage: Stage): Promise<void> {
  await tx.query('delete from text.pending where account_id = $1 and stage = $2', [accountId, stage]);
  await tx.query('delete from text.given_up where account_id = $1 and stage = $2 and not crashed', [accountId, stage]);
}
