/** Values that decide whether and where an answer is shown. */
export interface AnswerRow {
  readonly id: number;
  readonly sortKey: bigint;
  readonly questionId: number;
  // Ordinals within the account.
  readonly cycle: number;
  readonly respondent: number;
  readonly optionSet: number;
  readonly imported: boolean;
  // Masking policy of its mask; 0 without a mask.
  readonly policy: number;
  // Whether a correction removed the answer.
  readonly gone: boolean;
}
