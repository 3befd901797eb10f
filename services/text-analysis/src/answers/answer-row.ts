/** What decides whether an answer is shown, and where. */
export interface AnswerRow {
  readonly id: number;
  readonly sortKey: bigint;
  readonly questionId: number;
  // Ordinals in the account.
  readonly cycle: number;
  readonly person: number;
  // NO_OPTIONS when nobody knows them.
  readonly optionSet: number;
  readonly imported: boolean;
  // Of its mask; 0 when it has none.
  readonly policy: number;
  // A correction took it away.
  readonly gone: boolean;
}

export const NO_OPTIONS = -1;
