/**
 * SQL of the timeline of the visible rows. A failover or restore that loses commits begins a new
 * one, in which ids and sequences are assigned again: cached rows are valid only on the timeline
 * that they were read from.
 */
// A replica's control file has the timeline of its last restart point, and never a later one than
// its rows.
export const TIMELINE = `(case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
  else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end)`;
