-- Up Migration

-- One role per service, without a password: the operator sets it (migrate.ts), or grants the role
-- to a login.
do $$
declare
  service_role text;
begin
  foreach service_role in array array['survey_gateway', 'survey_export', 'survey_imports', 'survey_scoring', 'survey_text', 'survey_admin']
  loop
    -- Roles are server-wide: several databases of one server may be migrated at the same time.
    begin
      execute format('create role %I nologin', service_role);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
end $$;

-- The account of this transaction (inAccount); null outside one, and then no row is visible.
create function current_account() returns bigint
  language sql stable parallel safe
  as $$ select nullif(current_setting('survey.account_id', true), '')::bigint $$;

-- Creates the isolation policy of a table with account data. It also applies to the owner.
create procedure isolate_accounts(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy own_account on %s using (account_id = current_account()) with check (account_id = current_account())', tenant_table);
end $$;

create schema admin;

-- The list of accounts has no row-level security: only account-admin may read all of it.
create table admin.account (
  account_id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table admin.api_key (
  account_id bigint not null references admin.account,
  key_id uuid not null,
  -- SHA-256: keys are long and random, so a fast hash suffices and look-ups leak nothing by timing.
  hash bytea not null,
  prefix text not null,
  scope text not null check (scope in ('read', 'employees:write')),
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (account_id, key_id)
);
create unique index api_key_by_hash on admin.api_key (hash);
call isolate_accounts('admin.api_key');

create table admin.integration (
  account_id bigint primary key references admin.account,
  connected_at timestamptz not null default now(),
  disconnected_at timestamptz,
  default_language text not null,
  -- Maximum percentage of the managed employees that one import may offboard.
  deletion_threshold numeric(7, 4) not null check (deletion_threshold between 0 and 100)
);
call isolate_accounts('admin.integration');

create table admin.outbox (
  id bigint generated always as identity primary key,
  -- Message id on the bus. Random, because a database that has lost commits reuses serial ids.
  message_id uuid not null default gen_random_uuid(),
  account_id bigint not null,
  subject text not null,
  payload bytea not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index outbox_unsent on admin.outbox (id) where sent_at is null;
create index outbox_sent on admin.outbox (sent_at) where sent_at is not null;

create table admin.audit (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  before jsonb,
  after jsonb,
  primary key (account_id, id)
);
call isolate_accounts('admin.audit');

-- Everything a key check needs, in one round trip. A revoked key looks like an unknown one.
create policy key_lookup on admin.api_key for select to current_user using (true);
create function admin.find_api_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text)
  language sql stable security definer set search_path = ''
  as $$ select k.account_id, k.key_id, k.scope from admin.api_key k where k.hash = key_hash and k.revoked_at is null $$;
revoke execute on function admin.find_api_key from public;

create schema imports;

-- One row per account with employees. Employee writers lock it: one writer per account at a time.
create table imports.account_state (
  account_id bigint primary key references admin.account,
  -- Also the largest position, and so the total_count of the list.
  employees integer not null default 0,
  next_employee_id bigint not null default 1000000000,
  next_attribute_id integer not null default 1,
  next_option_id integer not null default 1,
  -- Incremented when the name of an attribute or option is added or changed.
  dictionary_version integer not null default 0,
  -- Salt of content_hash: clients cannot craft records that collide.
  hash_salt uuid not null default gen_random_uuid()
);
call isolate_accounts('imports.account_state');

create table imports.attribute (
  account_id bigint not null,
  id integer not null,
  name text not null,
  -- Normalised name (packages/attribute-name/src/normalise.ts, rule IMPORT-ATTRIBUTES-NAMES-1).
  name_key text collate "C" not null,
  primary key (account_id, id),
  unique (account_id, name_key)
);
call isolate_accounts('imports.attribute');

create table imports.attribute_option (
  account_id bigint not null,
  id integer not null,
  attribute_id integer not null,
  name text collate "C" not null,
  primary key (account_id, id),
  unique (account_id, attribute_id, name),
  foreign key (account_id, attribute_id) references imports.attribute
);
call isolate_accounts('imports.attribute_option');

create table imports.employee (
  account_id bigint not null,
  id bigint not null,
  -- 1, 2, 3 … without gaps, in order of creation. Employees are never removed, so a page starts at
  -- position > offset.
  position integer not null,
  created_via text not null check (created_via in ('import_api', 'app', 'file', 'sftp', 'hcm')),
  import_id text collate "C",
  email text not null,
  -- Normalised address (packages/employee-record/src/email-key.ts); null for deleted employees,
  -- which frees the address.
  email_key text collate "C",
  firstname text,
  lastname text,
  language text,
  role text,
  is_deleted boolean not null default false,
  supervisor_id bigint,
  -- Sorted by attribute, then option.
  option_ids integer[] not null default '{}',
  -- Access to results: all data if true, else that of employees matching granted_option_ids, else
  -- none.
  all_data boolean not null default false,
  granted_option_ids integer[] not null default '{}',
  -- Hash of the record that left this employee unchanged; null after any other write.
  content_hash uuid,
  primary key (account_id, id),
  check (is_deleted = (email_key is null)),
  -- Checked at the end of a statement, so that two employees can swap addresses in one (rule
  -- IMPORT-EMAILS-4).
  unique (account_id, email_key) deferrable initially immediate
) with (fillfactor = 90);
create unique index employee_by_position on imports.employee (account_id, position);
create unique index employee_by_import_id on imports.employee (account_id, import_id) where created_via = 'import_api';
call isolate_accounts('imports.employee');

create table imports.import (
  account_id bigint not null references admin.account,
  import_uuid uuid not null,
  state text not null default 'accepted' check (state in ('accepted', 'applied', 'cancelled', 'failed')),
  accepted_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  attempts integer not null default 0,
  -- Workers claim only imports whose rules they know.
  plan_version integer not null,
  content_encoding text not null check (content_encoding in ('gzip', 'identity')),
  employees_total integer not null,
  idempotency_key text,
  body_sha256 bytea,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  reactivated integer not null default 0,
  skipped integer not null default 0,
  offboarded integer not null default 0,
  -- Counts that the deletion threshold was applied to (rule IMPORT-THRESHOLD-7).
  managed integer,
  deletion_threshold numeric(7, 4),
  cancel_reasons text[] not null default '{}',
  -- Threshold override: an operator lets this import exceed the deletion threshold.
  deletes_allowed boolean not null default false,
  primary key (account_id, import_uuid),
  check ((state = 'accepted') = (finished_at is null))
);
-- One running import per account: otherwise 409, as the contract says.
create unique index import_running on imports.import (account_id) where finished_at is null;
create unique index import_by_idempotency_key on imports.import (account_id, idempotency_key) where idempotency_key is not null;
call isolate_accounts('imports.import');

-- The body as received, in chunks. Chunks without an import are left by rejected or aborted
-- requests.
create table imports.payload (
  account_id bigint not null,
  import_uuid uuid not null,
  piece integer not null,
  data bytea not null,
  received_at timestamptz not null default now(),
  primary key (account_id, import_uuid, piece)
);
alter table imports.payload alter column data set storage external;
call isolate_accounts('imports.payload');

-- Outcome of each record, except plainly unchanged ones.
create table imports.result (
  account_id bigint not null,
  import_uuid uuid not null,
  index integer not null,
  import_id text,
  outcome text not null check (outcome in ('created', 'updated', 'unchanged', 'reactivated', 'skipped')),
  reasons jsonb not null default '[]',
  warnings jsonb not null default '[]',
  primary key (account_id, import_uuid, index)
);
call isolate_accounts('imports.result');

create table imports.outbox (like admin.outbox including defaults including identity including constraints including indexes);

-- For the sweeper: waiting imports of all accounts, by id only.
create policy sweep on imports.import for select to current_user using (true);
create function imports.waiting_imports()
  returns table (account_id bigint, import_uuid uuid)
  language sql stable security definer set search_path = ''
  as $$ select i.account_id, i.import_uuid from imports.import i where i.finished_at is null order by i.accepted_at $$;
revoke execute on function imports.waiting_imports from public;

-- Bodies that were rejected, or whose client or receiver died: nothing refers to them.
create policy sweep on imports.payload to current_user using (true);
create function imports.delete_abandoned_pieces() returns void
  language sql security definer set search_path = ''
  as $$
    delete from imports.payload p
    where p.received_at < now() - interval '1 hour'
      and not exists (select from imports.import i where i.account_id = p.account_id and i.import_uuid = p.import_uuid)
  $$;
revoke execute on function imports.delete_abandoned_pieces from public;

-- Each table is written by one service and read by the roles named here.
grant usage on schema admin to survey_admin, survey_gateway, survey_imports;
grant usage on schema imports to survey_imports, survey_export, survey_admin;

grant execute on function admin.find_api_key to survey_gateway;

grant select, insert, update on admin.account, admin.api_key, admin.integration, admin.outbox to survey_admin;
grant select, insert on admin.audit to survey_admin;
grant delete on admin.outbox to survey_admin;
grant select on imports.import, imports.result to survey_admin;

grant select on admin.integration to survey_imports;
grant select, insert, update on imports.account_state, imports.attribute, imports.attribute_option, imports.employee, imports.import to survey_imports;
grant select, insert, update, delete on imports.payload, imports.result, imports.outbox to survey_imports;
grant execute on function imports.waiting_imports, imports.delete_abandoned_pieces to survey_imports;

grant select on imports.account_state, imports.attribute, imports.attribute_option, imports.employee to survey_export;
