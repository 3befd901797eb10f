import type { FactKind } from '@survey/bus/streams.ts';
import type { Account } from '../../../test/support/accounts.ts';
import type { ConsoleClient } from '../../../test/support/console-client.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';

/** What an attacker can do with the keys and messages of one account. */
export interface Target {
  readonly account: Account;
  /**
   * Sends a snapshot and waits until the import has ended. Returns the status of the answer, or the
   * state of the import.
   */
  import(snapshot: { readonly body: Buffer; readonly isGzip: boolean }): Promise<string>;
  /** Publishes facts in messages of up to 1,000 and waits until the services have read them. */
  publish(kind: FactKind, facts: readonly Fact[]): Promise<void>;
  /** Opens a browser in which an admin of the account is signed in at the console. */
  browse(): Promise<ConsoleClient>;
  /** Returns the status of a GET. */
  get(path: string): Promise<string>;
  /**
   * Waits until no text of the account waits for masking or topics. Returns how many there are, and
   * how many have been given up.
   */
  textsProcessed(): Promise<string>;
}

/** One kind of input, which grows with its size. */
export interface Shape {
  readonly name: string;
  // Sizes to try, each about ten times the one before.
  readonly sizes: readonly number[];
  // Brings the account into the state that the attack needs. Not measured.
  readonly prepare?: (target: Target, size: number) => Promise<unknown>;
  // Resolves when the service has dealt with it, to what the client was told.
  readonly attack: (target: Target, size: number) => Promise<string>;
}
