import { thresholdReason } from '../rules/deletion-threshold.ts';
import type { Integration } from './connected-integration.ts';
import type { SnapshotPlan } from './plan-snapshot.ts';

const LISTED = 10;

interface ImportDecision {
  // Positions of managed employees that the snapshot omits.
  toOffboard: number[];
  // Empty when the import is applied.
  reasons: string[];
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
  const repeated = [...plan.duplicateImportIds, ...repeatedNew];
  const reasons: string[] = [];
  if (plan.missingImportIds.length > 0) {
    reasons.push(
      `${count(plan.missingImportIds.length, 'record has', 'records have')} an empty import_id: ${places(plan.missingImportIds, at)}`,
    );
  }
  if (repeated.length > 0) reasons.push(`the same import_id is given twice: ${places(repeated, pair)}`);
  const threshold = thresholdReason({
    offboarded: toOffboard.length,
    managed: managed.length,
    thresholdPercent: integration.deletion_threshold,
  });
  const exceeds = threshold !== undefined && !deletesAllowed;
  if (exceeds) reasons.push(threshold);
  return { toOffboard, reasons, exceedsThresholdOnly: exceeds && reasons.length === 1 };
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

function places<T>(all: readonly T[], show: (one: T) => string): string {
  const shown = all.slice(0, LISTED).map(show).join(', ');
  return all.length > LISTED ? `${shown} and ${all.length - LISTED} more` : shown;
}

const at = (index: number): string => `/employees/${index}`;
const pair = ({ first, second }: { first: number; second: number }): string => `${at(first)} and ${at(second)}`;
