-- How far each consumer of the bus has come. NATS keeps positions as well, but after a power cut they
-- can be on its disk while the messages that they count are not (packages/bus/src/position.ts).
create table export.bus_position (
  -- A consumer, or `outbox` for what the service publishes.
  name text primary key,
  -- Processes of nats-server that the service has met, newest last: a restarted server is another one.
  servers text[] not null default '{}',
  stream_created text,
  -- All messages up to this one are applied; it was published at reached_at.
  sequence bigint,
  reached_at timestamptz,
  -- What was published in between was lost when the bus last lost messages.
  lost_from timestamptz,
  lost_until timestamptz
);
create table imports.bus_position (like export.bus_position including all);
create table scoring.bus_position (like export.bus_position including all);
create table text.bus_position (like export.bus_position including all);
create table admin.bus_position (like export.bus_position including all);
comment on table export.bus_position is 'Progress of the consumers of the bus.';
comment on table imports.bus_position is 'Progress of the consumers of the bus, and of the outbox.';
comment on table scoring.bus_position is 'Progress of the consumers of the bus.';
comment on table text.bus_position is 'Progress of the consumers of the bus, and of the outbox.';
comment on table admin.bus_position is 'Progress of the outbox.';
grant select, insert, update on export.bus_position to survey_export;
grant select, insert, update on imports.bus_position to survey_imports;
grant select, insert, update on scoring.bus_position to survey_scoring;
grant select, insert, update on text.bus_position to survey_text;
grant select, insert, update on admin.bus_position to survey_admin;

-- From where the application must publish facts again if the bus has lost them.
create function admin.fact_positions()
  returns table (consumer text, reached_at timestamptz, lost_from timestamptz, lost_until timestamptz)
  language sql stable set search_path = '' as $$
  select name, reached_at, lost_from, lost_until from (
    select * from export.bus_position
    union all select * from imports.bus_position
    union all select * from scoring.bus_position
    union all select * from text.bus_position
  ) p where coalesce(reached_at, lost_until) is not null order by name
$$;

-- Lets the relays publish events again that they sent since a time.
create function admin.publish_events_again(since timestamptz) returns bigint
  language plpgsql set search_path = '' as $$
declare
  total bigint := 0;
  affected bigint;
begin
  update admin.outbox set sent_at = null where sent_at >= since and sequence is not null;
  get diagnostics affected = row_count;
  total := total + affected;
  update imports.outbox set sent_at = null where sent_at >= since and sequence is not null;
  get diagnostics affected = row_count;
  total := total + affected;
  update text.outbox set sent_at = null where sent_at >= since and sequence is not null;
  get diagnostics affected = row_count;
  return total + affected;
end $$;
grant select on export.bus_position, imports.bus_position, scoring.bus_position, text.bus_position to survey_definer;
grant select, update (sent_at) on admin.outbox, imports.outbox, text.outbox to survey_definer;
call run_as_definer('admin.fact_positions', 'survey_admin');
call run_as_definer('admin.publish_events_again', 'survey_admin');
