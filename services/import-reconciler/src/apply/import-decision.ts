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
  omitted: number;
  // Records that may be about another person (import-warnings.ts).
  doubtful: number;
  // Repeated import_ids among new employees.
  repeatedNew: readonly { first: number; second: number }[];
  managed: number;
  integration: Integration;
  deletesAllowed: boolean;
}

/**
 * Decides whether the whole import is cancelled (docs/rules/import-lifecycle.md), with every
 * reason, its figures and record indexes.
 */
export function decideImport(input: DecisionInput): ImportDecision {
  const { plan, omitted, doubtful, repeatedNew, managed, integration, deletesAllowed } = input;
  const blank = plan.missingImportIds;
  const repeated = [...plan.duplicateImportIds, ...repeatedNew];
  const reasons: ImportReason[] = [];
  if (blank.length > 0) reasons.push(importReason('import_id_blank', { count: blank.length, records: blank.slice(0, LISTED) }));
  if (repeated.length > 0) {
    const records = repeated.slice(0, LISTED).flatMap(({ first, second }) => [first, second]);
    reasons.push(importReason('import_id_repeated', { count: repeated.length, records }));
  }
  const others = reasons.length;
  // Exact, and only strictly more is too many (docs/rules/import-threshold.md).
  const exceed = (code: ImportReasonCode, threshold: string, count: number): void => {
    if (isAbovePercent(threshold, count, managed)) reasons.push(importReason(code, { count, managed, threshold }));
  };
  if (!deletesAllowed) exceed('deletion_threshold', integration.deletion_threshold, omitted);
  // There is nobody to be mixed up with before the first import.
  if (!deletesAllowed && integration.identity_threshold !== null && managed > 0)
    exceed('identity_threshold', integration.identity_threshold, doubtful);
  return { reasons, exceedsThresholdOnly: others === 0 && reasons.length > 0 };
}
