-- Values that nobody has are deleted after a time, and an import that ends its process twice fails.

alter table imports.attribute_option
  -- When no employee had the option and no grant named it; null while either does.
  add column unused_since timestamptz;

alter table imports.account_state
  -- When unused options were last looked for.
  add column options_checked_at timestamptz;

-- Attempts at imports that have begun. A row survives only a commit that did not happen, because
-- the process ended.
create table imports.attempt (
  account_id bigint not null references admin.account,
  import_uuid uuid not null,
  -- Whether an attempt has begun and has not ended.
  in_progress boolean not null default true,
  -- Attempts that did not end by themselves.
  deaths smallint not null default 0,
  primary key (account_id, import_uuid)
);
call isolate_accounts('imports.attempt');
comment on table imports.attempt is 'Attempts at imports that have begun, so that one that ends its process is counted.';
grant select, insert, update, delete on imports.attempt to survey_imports;
