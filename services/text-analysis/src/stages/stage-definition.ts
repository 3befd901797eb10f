import type { Client } from '@survey/postgres/database.ts';
import type { AccountState, Stage } from '../tables/account-state.ts';
import type { StageInput, StageResult } from './pending.ts';

/** Stage-specific part of the processing of answers. */
export interface StageDefinition<R, P> {
  readonly stage: Stage;
  // What the version depends on in addition to the account's settings, such as a model version.
  readonly basis: string;
  // Returns the version of the result that the account's settings ask for; null when the stage is
  // off.
  wantedVersion(tx: Client, accountId: number): Promise<string | null>;
  // Returns whether results of this version are left as they are although this process wants
  // another, because another release that runs beside this one makes them. Without it they never
  // are. Asked again by the next sweep.
  readonly yieldsTo?: (accountId: number, version: string, wanted: string) => boolean;
  // Queues the answers whose id is at least `from` and below `to` and that have no result of this
  // version, unless they are queued or given up.
  queueOutdated(tx: Client, accountId: number, version: string, range: { from: number; to: number }): Promise<void>;
  // Reads additional data for these answers, if the stage needs any.
  prepare(tx: Client, accountId: number, answers: readonly number[]): Promise<P>;
  // Processes one answer with the prepared data. The message of a thrown error is not stored, since
  // it might repeat the text.
  perform(accountId: number, version: string, answer: StageInput, prepared: P): Promise<R>;
  // Saves the results of unchanged texts and returns their ids. Needs lockAccountState.
  save(tx: Client, accountId: number, state: AccountState, version: string, done: readonly StageResult<R>[]): Promise<number[]>;
  // Event published when answers are done, if any.
  readonly event?: 'events.text.masked' | 'events.text.categorised';
}

/** Returns the ids of the answers whose texts have not changed since they were processed. */
export async function unchangedTexts(
  tx: Client,
  accountId: number,
  answers: readonly Pick<StageInput, 'id' | 'textVersion'>[],
): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(
    `select f.id from unnest($2::integer[], $3::integer[]) f (id, content_version) cross join lateral (
       select from text.answer
       where account_id = $1::bigint and id = f.id and content_version = f.content_version and content is not null offset 0) a`,
    [accountId, answers.map(({ id }) => id), answers.map(({ textVersion }) => textVersion)],
  );
  return new Set(rows.map(({ id }) => id));
}
