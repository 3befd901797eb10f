import type { Integration } from '../sql/integration.ts';
import { thresholdReason } from '../rules/deletion-threshold.ts';
import type { SnapshotPlan } from './plan-snapshot.ts';

const LISTED = 10;

export interface Verdict {
  // Positions of the managed employees whom the snapshot omits.
  leaving: number[];
  // Empty when the import is applied.
  reasons: string[];
  // Whether the deletion threshold is the only reason: an operator may release the import.
  isForDeletes: boolean;
}

export interface Judged {
  plan: SnapshotPlan;
  // Repeated import_ids among new employees.
  repeatedNew: readonly { first: number; second: number }[];
  managed: Int32Array;
  integration: Integration;
  deletesAllowed: boolean;
}

/** Whether the import is cancelled in full (docs/rules/import-lifecycle.md): every reason, with figures and places. */
export function judge({ plan, repeatedNew, managed, integration, deletesAllowed }: Judged): Verdict {
  const leaving = Array.from(managed.filter((position) => plan.seenAt[position] === 0));
  const repeated = [...plan.repeated, ...repeatedNew];
  const reasons: string[] = [];
  if (plan.blank.length > 0) {
    reasons.push(`${count(plan.blank.length, 'record has', 'records have')} an empty import_id: ${places(plan.blank, at)}`);
  }
  if (repeated.length > 0) reasons.push(`the same import_id is given twice: ${places(repeated, pair)}`);
  const threshold = thresholdReason({
    leaving: leaving.length,
    managed: managed.length,
    thresholdPercent: integration.deletion_threshold,
  });
  const exceeds = threshold !== undefined && !deletesAllowed;
  if (exceeds) reasons.push(threshold);
  return { leaving, reasons, isForDeletes: exceeds && reasons.length === 1 };
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
