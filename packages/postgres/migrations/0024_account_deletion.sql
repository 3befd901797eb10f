-- Up Migration

-- Deletion of accounts. A closed account has no valid keys and accepts neither facts nor imports.
-- Each service then deletes the rows of its own schema; the account's row stays, so its id is never
-- assigned again.
alter table admin.account add column closed_at timestamptz;

create table admin.account_deletion (
  account_id bigint primary key references admin.account,
  requested_at timestamptz not null default now(),
  requested_by text not null,
  -- When the account is closed; until then the deletion can be taken back.
  due_at timestamptz not null,
  finished_at timestamptz
);
call isolate_accounts('admin.account_deletion');

create or replace function admin.account_exists(account bigint) returns boolean
  language sql stable security definer set search_path = ''
  as $$ select exists (select from admin.account a where a.account_id = account and a.closed_at is null) $$;

-- service: account-admin on its own.
alter table admin.audit drop constraint audit_actor_kind_check,
  add constraint audit_actor_kind_check check (actor_kind in ('admin', 'operator', 'surveyctl', 'service'));

-- For the sweepers: closed accounts whose data is not deleted yet, by id only.
create policy sweep on admin.account_deletion for select to current_user using (true);
create function admin.accounts_to_delete() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select d.account_id from admin.account_deletion d join admin.account a on a.account_id = d.account_id
    where a.closed_at is not null and d.finished_at is null
  $$;
revoke execute on function admin.accounts_to_delete from public;

-- Milliseconds since the account was closed; null for one that is not.
create function admin.closed_for_ms(account bigint) returns double precision
  language sql volatile security definer set search_path = ''
  as $$ select extract(epoch from clock_timestamp() - a.closed_at) * 1000 from admin.account a where a.account_id = account $$;
revoke execute on function admin.closed_for_ms from public;

-- Deletions that account-admin must begin or finish.
create function admin.unfinished_deletions() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$ select d.account_id from admin.account_deletion d where d.finished_at is null and d.due_at <= now() $$;
revoke execute on function admin.unfinished_deletions from public;

-- Rows that a service has deleted, by table. Empty table name: the service has finished.
create table export.deleted_rows (
  account_id bigint not null references admin.account,
  table_name text not null,
  deleted bigint not null,
  primary key (account_id, table_name)
);
create table imports.deleted_rows (like export.deleted_rows including all);
create table scoring.deleted_rows (like export.deleted_rows including all);
create table text.deleted_rows (like export.deleted_rows including all);
call isolate_accounts('export.deleted_rows');
call isolate_accounts('imports.deleted_rows');
call isolate_accounts('scoring.deleted_rows');
call isolate_accounts('text.deleted_rows');

create table admin.due (like export.due including all);
create table imports.due (like export.due including all);
create table admin.deleted_rows (like export.deleted_rows including all);
call isolate_accounts('admin.deleted_rows');

-- The rows of one account only: row-level security applies to deletes, too.
grant execute on function admin.accounts_to_delete, admin.closed_for_ms to survey_export, survey_imports, survey_scoring, survey_text;
grant execute on function admin.unfinished_deletions to survey_admin;
grant select, insert, update on admin.account_deletion to survey_admin;
grant delete on admin.account_deletion to survey_admin;
grant select, insert, update on export.deleted_rows to survey_export;
grant select, insert, update on imports.deleted_rows to survey_imports;
grant select, insert, update on scoring.deleted_rows to survey_scoring;
grant select, insert, update on text.deleted_rows to survey_text;
grant select, insert, update on admin.deleted_rows to survey_admin;
grant select on export.deleted_rows, imports.deleted_rows, scoring.deleted_rows, text.deleted_rows to survey_admin;
grant select, insert, update, delete on admin.due to survey_admin;
grant select, insert, update, delete on imports.due to survey_imports;
grant delete on all tables in schema export to survey_export;
grant delete on all tables in schema imports to survey_imports;
grant delete on all tables in schema scoring to survey_scoring;
grant delete on all tables in schema text to survey_text;
grant delete on admin.api_key, admin.integration, admin.key_usage, admin.released_attribute, admin.settings, admin.event_sequence to survey_admin;
