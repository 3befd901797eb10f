import type { Client } from '@survey/postgres/database.ts';
import type { AccountState, Stage } from '../sql/account-state.ts';

/** An answer that a stage works on. */
export interface StageInput {
  readonly id: number;
  readonly text: string;
  // A result of another version of the text is worth nothing.
  readonly textVersion: number;
}

export interface StageResult<R> extends StageInput {
  readonly result: R;
}

/** What is done with answers one after the other: the same for every stage, but for what stands here. */
export interface StageDefinition<R, P> {
  readonly stage: Stage;
  // What the version depends on beside the account's settings, such as the version of a model.
  readonly basis: string;
  // The version of the result that the account's settings ask for; null when the stage is off.
  wantedVersion(tx: Client, accountId: number): Promise<string | null>;
  // Queues the answers from `from` on, below `to`, that have no result of this version. They may be queued already, or given up.
  queueOutdated(tx: Client, accountId: number, version: string, range: { from: number; to: number }): Promise<void>;
  // Reads what the work on these answers needs beside their texts, if anything.
  prepare(tx: Client, accountId: number, answers: readonly number[]): Promise<P>;
  // Works on one answer, with what was prepared. Throws when it cannot be done; what it throws is not kept, since it might repeat the text.
  perform(accountId: number, version: string, answer: StageInput, prepared: P): Promise<R>;
  // Writes the results of texts that are still those that were worked on, and answers with the ids of these. Under lockAccountState.
  save(tx: Client, accountId: number, state: AccountState, version: string, done: readonly StageResult<R>[]): Promise<number[]>;
  // What is told when answers are done, if anything.
  readonly event?: 'events.text.masked' | 'events.text.categorised';
}
