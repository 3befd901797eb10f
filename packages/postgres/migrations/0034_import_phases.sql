-- How long the phases of an import take, and which import waits longest.

alter table imports.import
  -- Milliseconds by phase (import-phases.ts); `client` is what the client took to send the body.
  add column phase_ms jsonb not null default '{}';
grant select on imports.attempt to survey_admin, survey_definer;

-- Seconds since the acceptance of the oldest import that no worker applies.
create function imports.longest_wait_seconds() returns float8
  language sql stable set search_path = ''
  as $$
    select coalesce(extract(epoch from now() - min(i.accepted_at)), 0)::float8 from imports.import i
    where i.finished_at is null and not exists (
      select from imports.attempt a where a.account_id = i.account_id and a.import_uuid = i.import_uuid and a.in_progress)
  $$;
call run_as_definer('imports.longest_wait_seconds', 'survey_imports');
