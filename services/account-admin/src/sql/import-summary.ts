import { utc } from './utc.ts';

// An ImportSummary of admin.proto, from imports.import.
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
  released_from,
  ${utc('records_kept_until')} as records_kept_until,
  ${utc('records_deleted_at')} as records_deleted_at`;
