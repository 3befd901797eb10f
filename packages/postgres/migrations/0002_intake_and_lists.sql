-- Up Migration

-- The application publishes facts on INTAKE, and each owning service stores what it needs. Of two
-- facts about one object the higher (revision, digest) wins, so order, repetition and delay change
-- nothing.

create schema export;

-- For roles that may not read the list of accounts: facts of an unknown account are rejected.
create function admin.account_exists(account bigint) returns boolean
  language sql stable security definer set search_path = ''
  as $$ select exists (select from admin.account a where a.account_id = account) $$;
revoke execute on function admin.account_exists from public;

create table export.survey (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  -- SHA-256 of the fact's bytes.
  digest bytea not null,
  import_id text,
  name jsonb not null,
  frequency text not null,
  created_at timestamptz not null,
  start_at timestamptz,
  end_at timestamptz,
  archived_at timestamptz,
  current_survey_ends_at timestamptz,
  next_survey_starts_at timestamptz,
  is_archived boolean not null,
  is_deactivated boolean not null,
  -- Employees by id, and by import_id of the import API; resolved when they are read.
  access_employee_ids bigint[] not null,
  access_import_ids text[] not null,
  survey_properties jsonb not null,
  timezone text not null,
  primary key (account_id, id)
);
call isolate_accounts('export.survey');

create table export.question (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  name jsonb not null,
  type text not null,
  is_deleted boolean not null,
  answer_options jsonb not null,
  primary key (account_id, id)
);
call isolate_accounts('export.question');

create table export.cycle (
  account_id bigint not null references admin.account,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  primary key (account_id, id)
);
create index cycle_newest_first on export.cycle (account_id, opened_at desc, id);
call isolate_accounts('export.cycle');

create table export.assignment (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  employee_id bigint not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Survey before the last change, null for a newly inserted row: writers derive the counter
  -- changes from it.
  previous_survey_id bigint,
  primary key (account_id, id)
);
-- Does not begin with account_id, so that no query uses it to find ids: for accounts without
-- statistics PostgreSQL expects one row, and might scan the whole account instead of using the
-- primary key.
create index assignment_of_survey on export.assignment (survey_id, account_id, id);
call isolate_accounts('export.assignment');

create table export.initiative (
  account_id bigint not null references admin.account,
  uuid uuid not null,
  revision bigint not null,
  digest bytea not null,
  title text not null,
  status text not null,
  survey_id bigint,
  question_ids bigint[] not null,
  -- An employee by id or by import_id, or none: resolved when read.
  assignee_id bigint,
  assignee_import_id text,
  creator_id bigint,
  creator_import_id text,
  notes text not null,
  completion_date timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  is_private boolean not null,
  reminder_settings text[] not null,
  notification_settings text[] not null,
  primary key (account_id, uuid)
);
create index initiative_newest_first on export.initiative (account_id, created_at desc, uuid);
call isolate_accounts('export.initiative');

-- Number of rows of a long list per range of ids: level 1 has 2^11 ids per block, level 2 2^22. A
-- page at any offset is found by adding a few counts; total_count is the sum of level 2. Written
-- with the rows, so both are exact in every database snapshot.
create table export.assignment_block (
  account_id bigint not null references admin.account,
  -- 0 counts the assignments of all surveys.
  survey_id bigint not null,
  level smallint not null check (level in (1, 2)),
  block bigint not null,
  count integer not null,
  primary key (account_id, survey_id, level, block)
);
call isolate_accounts('export.assignment_block');

create table imports.employee_block (
  account_id bigint not null references admin.account,
  level smallint not null check (level in (1, 2)),
  block bigint not null,
  count integer not null,
  primary key (account_id, level, block)
);
call isolate_accounts('imports.employee_block');

-- Facts about an employee who does not exist yet. They are stored here, not in the stream, and
-- never block others.
create table export.deferred_fact (
  account_id bigint not null references admin.account,
  kind text not null,
  -- Id of the fact's object, as text.
  thing_id text not null,
  revision bigint not null,
  digest bytea not null,
  employee_import_id text not null,
  fact bytea not null,
  -- Source of the fact, so that a publisher can look up its deferred facts.
  source text not null,
  line bigint not null,
  waiting_since timestamptz not null default now(),
  -- The newest fact per object and employee: the result does not depend on the order of the facts.
  primary key (account_id, kind, thing_id, employee_import_id)
);
create index waiting_fact_by_employee on export.deferred_fact (account_id, employee_import_id);
call isolate_accounts('export.deferred_fact');

-- For the sweeper: facts of all accounts whose employee may exist now, by id only.
create policy sweep on export.deferred_fact for select to current_user using (true);
create function export.accounts_with_deferred_facts() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$ select distinct w.account_id from export.deferred_fact w $$;
revoke execute on function export.accounts_with_deferred_facts from public;

-- Rejected facts: their position in the stream and the reason, without their content.
create table export.dead_letter (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  stream_sequence bigint not null,
  -- Offset in the batch.
  position integer not null,
  kind text not null,
  source text not null,
  line bigint not null,
  reason text not null,
  died_at timestamptz not null default now(),
  primary key (account_id, id),
  -- A recreated stream counts from 1 again.
  unique (account_id, source, stream_sequence, position)
);
call isolate_accounts('export.dead_letter');

-- Facts about employees that cannot be applied yet, or only in part.
create table imports.deferred_fact (
  account_id bigint not null references admin.account,
  -- edit: the employee does not exist yet; supervisor: all is applied except the supervisor, who
  -- does not exist yet; address: another employee has the e-mail address.
  kind text not null check (kind in ('edit', 'supervisor', 'address')),
  -- For supervisor the employee, of which the newest fact wins; else the fact's digest in hex.
  thing_id text not null,
  revision bigint not null,
  digest bytea not null,
  -- The awaited employee or, for address, the employee that the fact is about.
  employee_id bigint,
  employee_import_id text collate "C",
  fact bytea not null,
  source text not null,
  line bigint not null,
  waiting_since timestamptz not null default now(),
  primary key (account_id, kind, thing_id),
  check (num_nonnulls(employee_id, employee_import_id) = 1)
);
call isolate_accounts('imports.deferred_fact');
create policy sweep on imports.deferred_fact for select to current_user using (true);
create function imports.accounts_with_deferred_facts() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$ select distinct w.account_id from imports.deferred_fact w $$;
revoke execute on function imports.accounts_with_deferred_facts from public;
create table imports.dead_letter (like export.dead_letter including all);
call isolate_accounts('imports.dead_letter');

-- The fact that last decided a field of an employee; field '' is the whole employee. A replayed
-- edit loses to itself, so it cannot undo a later import.
create table imports.employee_revision (
  account_id bigint not null references admin.account,
  employee_id bigint not null,
  field text not null,
  revision bigint not null,
  digest bytea not null,
  primary key (account_id, employee_id, field)
);
call isolate_accounts('imports.employee_revision');

-- Attributes that an account admin has released for API use: none by default.
create table admin.released_attribute (
  account_id bigint not null references admin.account,
  attribute_id integer not null,
  released_at timestamptz not null default now(),
  primary key (account_id, attribute_id)
);
call isolate_accounts('admin.released_attribute');

-- Settings of an account. Versions are immutable, the highest one applies; without one, the
-- defaults below.
create table admin.settings (
  account_id bigint not null references admin.account,
  version integer not null check (version > 0),
  text_filter_attribute_id integer,
  masking_entitled boolean not null default false,
  masking boolean not null default false,
  -- Effect of the two columns above, which depends on earlier settings (rules TEXTS-MASKING-3 and
  -- TEXTS-MASKING-4). without_effect: like off. withheld: releases no text, because the entitlement
  -- ended while masking was on and no account admin has decided yet.
  masking_effect text not null default 'off' check (masking_effect in ('off', 'on', 'without_effect', 'withheld')),
  masking_categories text[] not null default '{name,email,phone,address,id}'
    check (masking_categories <@ '{name,email,phone,address,id}' and masking_categories <> '{}'),
  categorisation boolean not null default false,
  changed_at timestamptz not null default now(),
  primary key (account_id, version)
);
call isolate_accounts('admin.settings');

grant usage on schema export to survey_export, survey_admin;
grant usage on schema admin to survey_export, survey_scoring, survey_text;
grant execute on function admin.account_exists to survey_export, survey_imports, survey_scoring, survey_text;
grant execute on function export.accounts_with_deferred_facts to survey_export;
grant execute on function imports.accounts_with_deferred_facts to survey_imports;
grant usage on schema imports to survey_scoring, survey_text;

grant select, insert, update on export.survey, export.question, export.cycle, export.assignment, export.initiative, export.assignment_block to survey_export;
grant select, insert, update, delete on export.deferred_fact, export.dead_letter to survey_export;
grant select on export.deferred_fact, export.dead_letter to survey_admin;

grant select, insert, update on imports.employee_block, imports.employee_revision to survey_imports;
grant select, insert, update, delete on imports.deferred_fact, imports.dead_letter to survey_imports;
grant select on imports.deferred_fact, imports.dead_letter, imports.attribute, imports.attribute_option, imports.employee to survey_admin;
grant select on imports.employee_block to survey_export;

grant select, insert, delete on admin.released_attribute to survey_admin;
grant select, insert on admin.settings to survey_admin;
grant select on admin.released_attribute to survey_export;
grant select on admin.settings to survey_text, survey_scoring, survey_export;
grant select on imports.attribute, imports.attribute_option to survey_text, survey_scoring;
