import type { BinaryCopy } from '@survey/postgres/copy-in.ts';
import type { Intent } from '../rules/interpret-record.ts';
import type { CurrentEmployee, EmployeePlan } from '../rules/plan-employee.ts';
import type { RecordIssue } from '../rules/record-issue.ts';

export interface PlannedRecord {
  readonly intent: Intent;
  readonly plan: EmployeePlan;
  readonly current: CurrentEmployee | undefined;
  readonly employeeId: number;
  readonly position: number;
  readonly hash: Buffer;
}

type PlannedColumn = readonly [name: string, type: string, write: (copy: BinaryCopy, record: PlannedRecord) => void];

/**
 * The table `planned`: its columns, and how a record writes each of them. Most passes read only
 * the first ones, and PostgreSQL finds those of fixed length without reading the others.
 */
export const PLANNED_COLUMNS: readonly PlannedColumn[] = [
  ['employee_id', 'bigint not null', (copy, { employeeId }) => copy.int8(employeeId)],
  ['content_hash', 'uuid not null', (copy, { hash }) => copy.uuid(hash)],
  ['index', 'integer not null', (copy, { intent }) => copy.int4(intent.index)],
  ['position', 'integer not null', (copy, { position }) => copy.int4(position)],
  ['is_new', 'boolean not null', (copy, { current }) => copy.boolean(current === undefined)],
  ['was_deleted', 'boolean not null', (copy, { current }) => copy.boolean(current?.is_deleted ?? false)],
  ['skipped', 'boolean not null', (copy, { intent }) => copy.boolean(intent.reasons.length > 0)],
  ['moves_email', 'boolean not null', (copy, { plan, current }) => copy.boolean(plan.emailKey !== current?.email_key)],
  ['keeps_supervisor', 'boolean not null', (copy, { intent }) => copy.boolean(intent.reportsTo === undefined)],
  ['supervisor_is_deleted', 'boolean not null', (copy, { current }) => copy.boolean(current?.supervisor_is_deleted ?? false)],
  ['is_hash_missing', 'boolean not null', (copy, { current }) => copy.boolean(current?.is_hash_missing ?? true)],
  ['all_data', 'boolean not null', (copy, { plan }) => copy.boolean(plan.allData)],
  ['import_id', 'text collate "C" not null', (copy, { intent }) => copy.text(intent.importId)],
  ['email_key', 'text collate "C" not null', (copy, { plan }) => copy.text(plan.emailKey)],
  ['supervisor_id', 'bigint', (copy, { current }) => copy.int8(current?.supervisor_id ?? null)],
  ['reports_to', 'text collate "C"', (copy, { plan }) => copy.text(plan.reportsTo ?? null)],
  [
    'grant_attributes',
    'text[] collate "C"',
    (copy, { plan }) => copy.textArray(plan.grants?.map((grant) => grant.attributeKey) ?? null),
  ],
  ['grant_values', 'text[] collate "C"', (copy, { plan }) => copy.textArray(plan.grants?.map((grant) => grant.value) ?? null)],
  ['reasons', 'text', (copy, { intent }) => copy.text(jsonOf(intent.reasons))],
  ['warnings', 'text', (copy, { intent }) => copy.text(jsonOf(intent.warnings))],
  ['email', 'text not null', (copy, { plan }) => copy.text(plan.email)],
  ['firstname', 'text not null', (copy, { plan }) => copy.text(plan.firstname)],
  ['lastname', 'text not null', (copy, { plan }) => copy.text(plan.lastname)],
  ['language', 'text', (copy, { plan }) => copy.text(plan.language)],
  ['role', 'text', (copy, { plan }) => copy.text(plan.role)],
  ['option_ids', 'integer[] not null', (copy, { plan }) => copy.int4Array(plan.optionIds)],
  ['changed', 'text[] not null', (copy, { plan }) => copy.textArray(plan.changed)],
  ['granted_option_ids', 'integer[] not null', (copy, { plan }) => copy.int4Array(plan.grantedOptionIds)],
  ['had_all_data', 'boolean', (copy, { current }) => copy.boolean(current?.all_data ?? null)],
  ['had_granted_option_ids', 'integer[]', (copy, { current }) => copy.int4Array(current?.granted_option_ids ?? null)],
];

function jsonOf(issues: readonly RecordIssue[]): string | null {
  return issues.length === 0 ? null : JSON.stringify(issues);
}
