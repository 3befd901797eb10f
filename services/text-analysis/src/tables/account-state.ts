import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';

/** Processing stages of answers (text.backfill). */
export type Stage = 'mask' | 'categorise' | 'sentiment';

/** Last ids and sequences assigned in an account. Writers of answers continue from here. */
export interface AccountState {
  sequence: number;
  answers: number;
  respondents: number;
  cycles: number;
  option_sets: number;
  topics: number;
  blocks: number;
  taxonomy_version: number;
  // Making a hash with a key that is prepared takes a fifth of the time.
  readonly orderKey: KeyObject;
  // Wanted result version of each stage that is on.
  readonly stages: ReadonlyMap<Stage, string>;
  // Values when the account was locked. New answers change the progress of a backfill, and another
  // taxonomy makes one necessary.
  readonly before: { readonly answers: number; readonly taxonomy_version: number };
}

const ORDER_KEY_BYTES = 32;

const LOCK = `
select sequence, answers, respondents, cycles, option_sets, topics, blocks, taxonomy_version, order_key
from text.account_state where account_id = $1::bigint for update`;

// The row of a closed account, once deleted, must not come back (rule DATA-DELETION-1).
const CREATE = `
insert into text.account_state (account_id, order_key) select $1::bigint, $2::bytea where admin.account_exists($1::bigint)
on conflict do nothing`;

/**
 * Locks the account until the end of the transaction, for writers of answers or of their results.
 * @throws AccountClosedError when the account's data is deleted
 */
export async function lockAccountState(tx: Client, accountId: number): Promise<AccountState> {
  const { rowCount } = await tx.query(CREATE, [accountId, randomBytes(ORDER_KEY_BYTES)]);
  if (rowCount === 1) await markDue(tx, 'text', 'backfill', [accountId]);
  const { rows } = await tx.query<Omit<AccountState, 'stages' | 'before' | 'orderKey'> & { order_key: Buffer }>(LOCK, [
    accountId,
  ]);
  if (rows[0] === undefined) throw new AccountClosedError(accountId);
  const plans = await tx.query<{ stage: Stage; version: string }>(
    'select stage, version from text.backfill where account_id = $1 and version is not null',
    [accountId],
  );
  const { order_key, answers, taxonomy_version } = rows[0];
  const stages = new Map(plans.rows.map(({ stage, version }) => [stage, version]));
  return { ...rows[0], orderKey: createSecretKey(order_key), stages, before: { answers, taxonomy_version } };
}

export async function saveAccountState(tx: Client, accountId: number, state: AccountState): Promise<void> {
  await tx.query(
    `update text.account_state
     set sequence = $2, answers = $3, respondents = $4, cycles = $5, option_sets = $6, topics = $7, taxonomy_version = $8, blocks = $9
     where account_id = $1`,
    [
      accountId,
      state.sequence,
      state.answers,
      state.respondents,
      state.cycles,
      state.option_sets,
      state.topics,
      state.taxonomy_version,
      state.blocks,
    ],
  );
  const { answers, taxonomy_version } = state.before;
  // The intake has queued the new answers: a backfill that was complete remains so.
  if (answers !== state.answers)
    await tx.query(
      'update text.backfill set enqueued_below = $3 where account_id = $1 and enqueued_below = $2 and version is not null',
      [accountId, answers, state.answers],
    );
  if (taxonomy_version !== state.taxonomy_version) await markDue(tx, 'text', 'backfill', [accountId]);
}
