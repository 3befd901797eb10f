import { importReason, type ImportReason, type ImportReasonCode } from '@survey/formats/import-reasons.ts';
import { isAbovePercent } from '@survey/formats/percent.ts';
import type { Integration } from './connected-integration.ts';
import type { SnapshotPlan } from './plan-snapshot.ts';

// Records or pairs of records that a reason lists.
const LISTED = 10;

interface ImportDecision {
  // Empty when the import is applied.
  reasons: ImportReason[];
  // Whether thresholds are the only reasons; an operator can then override them.
  exceedsThresholdOnly: boolean;
}

interface DecisionInput {
  plan: SnapshotPlan;
  // Managed employees that the snapshot omits.
  toOffboard: number;
  // Records that may be about another person (import-warnings.ts).
  doubtfulRecords: number;
  // Repeated import_ids among new employees.
  repeatedNewIds: readonly { first: number; second: number }[];
  managed: number;
  integration: Integration;
  deletesAllowed: boolean;
}

/**
 * Decides whether the whole import is cancelled (docs/rules/import-lifecycle.md), with every
 * reason, its figures and record indexes.
 */
export function decideImport(input: DecisionInput): ImportDecision {
  const { plan, toOffboard, doubtfulRecords, repeatedNewIds, managed, integration, deletesAllowed } = input;
  const repeatedIds = [...plan.duplicateImportIds, ...repeatedNewIds];
  const reasons: ImportReason[] = [];
  if (plan.missingImportIds.length > 0)
    reasons.push(
      importReason('import_id_blank', { count: plan.missingImportIds.length, records: plan.missingImportIds.slice(0, LISTED) }),
    );
  if (repeatedIds.length > 0) {
    const records = repeatedIds.slice(0, LISTED).flatMap(({ first, second }) => [first, second]);
    reasons.push(importReason('import_id_repeated', { count: repeatedIds.length, records }));
  }
  const otherReasons = reasons.length;
  // Exact, and only strictly more is too many (docs/rules/import-threshold.md).
  const exceed = (code: ImportReasonCode, threshold: string, count: number): void => {
    if (isAbovePercent(threshold, count, managed)) reasons.push(importReason(code, { count, managed, threshold }));
  };
  if (!deletesAllowed) exceed('deletion_threshold', integration.deletion_threshold, toOffboard);
  // There is nobody to be mixed up with before the first import.
  if (!deletesAllowed && integration.identity_threshold !== null && managed > 0)
    exceed('identity_threshold', integration.identity_threshold, doubtfulRecords);
  return { reasons, exceedsThresholdOnly: otherReasons === 0 && reasons.length > 0 };
}
