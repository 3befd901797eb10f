import { importReason, type ImportReason } from '@survey/formats/import-reasons.ts';
import { isAbovePercent } from '@survey/formats/percent.ts';
import type { Integration } from './connected-integration.ts';
import type { SnapshotPlan } from './plan-snapshot.ts';

// Records or pairs of records that a reason lists.
const LISTED = 10;

interface ImportDecision {
  // Positions of managed employees that the snapshot omits.
  toOffboard: number[];
  // Empty when the import is applied.
  reasons: ImportReason[];
  // Whether the deletion threshold is the only reason; an operator can then override it.
  exceedsThresholdOnly: boolean;
}

interface DecisionInput {
  plan: SnapshotPlan;
  // Repeated import_ids among new employees.
  repeatedNew: readonly { first: number; second: number }[];
  managed: Int32Array;
  integration: Integration;
  deletesAllowed: boolean;
}

/**
 * Decides whether the whole import is cancelled (docs/rules/import-lifecycle.md), with every
 * reason, its figures and record indexes.
 */
export function decideImport({ plan, repeatedNew, managed, integration, deletesAllowed }: DecisionInput): ImportDecision {
  const toOffboard = Array.from(managed.filter((position) => plan.recordIndexByPosition[position] === 0));
  const blank = plan.missingImportIds;
  const repeated = [...plan.duplicateImportIds, ...repeatedNew];
  const reasons: ImportReason[] = [];
  if (blank.length > 0) reasons.push(importReason('import_id_blank', { count: blank.length, records: blank.slice(0, LISTED) }));
  if (repeated.length > 0) {
    const records = repeated.slice(0, LISTED).flatMap(({ first, second }) => [first, second]);
    reasons.push(importReason('import_id_repeated', { count: repeated.length, records }));
  }
  // Exact, and only strictly more is too many (docs/rules/import-threshold.md).
  const threshold = integration.deletion_threshold;
  const exceeds = isAbovePercent(threshold, toOffboard.length, managed.length) && !deletesAllowed;
  if (exceeds) reasons.push(importReason('deletion_threshold', { count: toOffboard.length, managed: managed.length, threshold }));
  return { toOffboard, reasons, exceedsThresholdOnly: exceeds && reasons.length === 1 };
}
