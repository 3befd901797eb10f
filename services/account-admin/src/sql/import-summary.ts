import { utc } from './utc.ts';

// Columns of imports.import that form an ImportSummary of admin.proto.
export const IMPORT_SUMMARY_COLUMNS = `
  import_uuid,
  state,
  ${utc('accepted_at')} as accepted_at,
  ${utc('finished_at')} as finished_at,
  employees_total,
  json_build_object(
    'created', created, 'updated', updated, 'unchanged', unchanged,
    'reactivated', reactivated, 'skipped', skipped, 'offboarded', offboarded
  ) as counts,
  cancel_reasons,
  managed,
  trim_scale(deletion_threshold)::text as deletion_threshold,
  deletes_allowed,
  rerun_of,
  (select coalesce(k.name, k.prefix) from admin.api_key k where k.account_id = $1::bigint and k.key_id = import.key_id) as sent_by,
  ${utc('records_kept_until')} as records_kept_until,
  ${utc('records_deleted_at')} as records_deleted_at,
  case when cancelled_for_deletes then (
    select count(*) from imports.offboarding l where l.account_id = $1::bigint and l.import_uuid = import.import_uuid
  ) end as would_offboard,
  cancelled_for_deletes and body_kept_until is not null and not exists (
    select from imports.import newer where newer.account_id = $1::bigint and newer.accepted_at > import.accepted_at
  ) as can_allow_deletes`;
