-- Versions of what the lists show, from which their validators (ETag) are made. They are random rather
-- than counted, because a failover or restore can lose commits: a version that was lost is never
-- given to other rows.

alter table imports.account_state
  -- Replaced when an employee is added, or changes in a way that a list shows; null before.
  add column employees_version uuid;

create table export.list_version (
  account_id bigint not null references admin.account,
  -- The table whose rows have changed, without its schema.
  list text not null,
  version uuid not null default gen_random_uuid(),
  primary key (account_id, list)
);
call isolate_accounts('export.list_version');
alter table export.list_version alter column account_id set statistics 0;
comment on table export.list_version is 'Versions of surveys, questions, cycles, assignments and initiatives, for validators of lists.';
grant select, insert, update, delete on export.list_version to survey_export;

-- The same rows look different in another release, and pods of an earlier one, which run during a
-- rollout and after a rollback, may change rows without changing versions. So each run of prepare
-- replaces the id, and validators are given only from a time by which those pods have ended.
create table admin.list_rendering (
  is_only_row boolean primary key default true check (is_only_row),
  id uuid not null default gen_random_uuid(),
  validators_from timestamptz not null default 'infinity'
);
insert into admin.list_rendering default values;
comment on table admin.list_rendering is 'Since when lists look as they do, for their validators.';
grant select on admin.list_rendering to survey_export;
