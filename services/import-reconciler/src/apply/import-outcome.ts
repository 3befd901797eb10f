import type { ImportReason } from '@survey/formats/import-reasons.ts';

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  reactivated: number;
  skipped: number;
  offboarded: number;
}

export const ZERO_COUNTS: Counts = { created: 0, updated: 0, unchanged: 0, reactivated: 0, skipped: 0, offboarded: 0 };

export interface ImportOutcome {
  state: 'applied' | 'cancelled' | 'failed';
  counts: Counts;
  // Why it was cancelled or has failed.
  reasons: readonly ImportReason[];
  // What was noticed about the snapshot as a whole.
  warnings?: readonly ImportReason[];
  // Whether thresholds were the only reasons.
  cancelledForDeletes?: boolean;
  // Inputs of the threshold decision; absent when it was not made.
  managed?: number | undefined;
  deletionThreshold?: string | undefined;
}
