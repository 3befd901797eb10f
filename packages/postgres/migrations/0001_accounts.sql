-- Up Migration

-- One role per service, without a password: the operator sets it (migrate.ts), or grants the role
-- to a login. survey_definer owns the functions that read rows of all accounts; no service can
-- become it.
do $$
declare
  service_role text;
begin
  foreach service_role in array array['survey_gateway', 'survey_export', 'survey_imports', 'survey_scoring', 'survey_text', 'survey_admin',
                                      'survey_definer']
  loop
    -- Roles are server-wide: several databases of one server may be migrated at the same time.
    begin
      execute format('create role %I nologin', service_role);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
  -- Needed to give it functions. The owner may already have it from a database administrator.
  grant survey_definer to current_user;
exception when insufficient_privilege or unique_violation then null;
end $$;

-- The account of this transaction (inAccount); null outside one, and then no row is visible.
create function current_account() returns bigint
  language sql stable parallel safe
  as $$ select nullif(current_setting('survey.account_id', true), '')::bigint $$;

-- Creates the policies of a table with account data. They also apply to its owner. What
-- survey_definer may read or write is limited by its grants.
create procedure isolate_accounts(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy own_account on %s using (account_id = current_account()) with check (account_id = current_account())', tenant_table);
  execute format('create policy all_accounts on %s to survey_definer using (true) with check (true)', tenant_table);
end $$;

-- Like isolate_accounts, for an outbox: messages are inserted for the account of the transaction
-- only, and relayed for all accounts.
create procedure isolate_outbox(outbox regclass, service_role text)
  language plpgsql as $$
declare
  verb text;
begin
  call isolate_accounts(outbox);
  foreach verb in array array['select', 'update', 'delete'] loop
    execute format('create policy relay_%1$s on %2$s for %1$s to %3$I using (true)', verb, outbox, service_role);
  end loop;
  execute format('grant select, insert, update, delete on %s to %I', outbox, service_role);
end $$;

-- Makes a function run as survey_definer, for these roles only.
create procedure run_as_definer(definer_function regproc, variadic service_roles text[])
  language plpgsql as $$
declare
  its_schema regnamespace := (select pronamespace from pg_proc where oid = definer_function);
  service_role text;
begin
  execute format('revoke execute on function %s from public', definer_function);
  foreach service_role in array service_roles loop
    execute format('grant execute on function %s to %I', definer_function, service_role);
  end loop;
  execute format('alter function %s security definer', definer_function);
  -- A function's owner must be allowed to create it.
  execute format('grant create on schema %s to survey_definer', its_schema);
  execute format('alter function %s owner to survey_definer', definer_function);
  execute format('revoke create on schema %s from survey_definer', its_schema);
end $$;

-- Lets a service delete the rows of an account that is being deleted. deleted_rows counts them by
-- table; a row without a table's name says that the service has finished.
create procedure allow_account_deletion(of_schema text, service_role text)
  language plpgsql as $$
begin
  execute format('create table %I.deleted_rows (account_id bigint not null references admin.account,
    table_name text not null, deleted bigint not null, primary key (account_id, table_name))', of_schema);
  call isolate_accounts(format('%I.deleted_rows', of_schema)::regclass);
  execute format('grant select, insert, update on %I.deleted_rows to %I', of_schema, service_role);
  execute format('grant select on %I.deleted_rows to survey_admin', of_schema);
  execute format('grant delete on all tables in schema %I to %I', of_schema, service_role);
end $$;

-- Code works with this database if it knows a migration of at least this number. Only contract
-- migrations raise it (CONTRIBUTING.md, "Migrations"). Services check it, and the applied
-- migrations, before they serve.
create table schema_support (
  is_only_row boolean primary key default true check (is_only_row),
  oldest_code integer not null
);
insert into schema_support (oldest_code) values (1);
grant select on schema_support, migration to survey_gateway, survey_export, survey_imports, survey_scoring, survey_text, survey_admin;

create schema admin;

-- The list of accounts has no row-level security: only account-admin may read all of it.
create table admin.account (
  account_id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now(),
  -- Its keys are revoked, its facts and imports are rejected, and its data is being deleted or was.
  -- The row stays, so that the id is never assigned again.
  closed_at timestamptz
);

create table admin.account_deletion (
  account_id bigint primary key references admin.account,
  requested_at timestamptz not null default now(),
  requested_by text not null,
  -- When the account is closed; until then the deletion can be cancelled.
  due_at timestamptz not null,
  finished_at timestamptz
);
call isolate_accounts('admin.account_deletion');

-- Closed accounts whose data is not deleted yet, and deletions that are due or have begun.
create function admin.accounts_to_delete() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select d.account_id from admin.account_deletion d join admin.account a on a.account_id = d.account_id
    where a.closed_at is not null and d.finished_at is null
  $$;
create function admin.unfinished_deletions() returns setof bigint
  language sql stable set search_path = ''
  as $$ select d.account_id from admin.account_deletion d where d.finished_at is null and d.due_at <= now() $$;

-- Milliseconds since the account was closed; null for one that is not.
create function admin.closed_for_ms(account bigint) returns double precision
  language sql volatile set search_path = ''
  as $$ select extract(epoch from clock_timestamp() - a.closed_at) * 1000 from admin.account a where a.account_id = account $$;

-- For roles that may not read the list of accounts: facts of an unknown account are rejected.
create function admin.account_exists(account bigint) returns boolean
  language sql stable set search_path = ''
  as $$ select exists (select from admin.account a where a.account_id = account and a.closed_at is null) $$;

create table admin.integration (
  account_id bigint primary key references admin.account,
  connected_at timestamptz not null default now(),
  disconnected_at timestamptz,
  default_language text not null,
  -- Maximum percentage of the managed employees that one import may offboard.
  deletion_threshold numeric(7, 4) not null check (deletion_threshold between 0 and 100)
);
call isolate_accounts('admin.integration');

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
  -- Names that are no employee's, such as of products: masking leaves them visible.
  masking_allowed_names text[] not null default '{}',
  -- The external masker of text-analysis, if configured, receives the original texts.
  external_masker boolean not null default false,
  categorisation boolean not null default false,
  -- Categorises topics and sentiment with the operator's external models, which receive masked
  -- texts only.
  external_text_models boolean not null default false,
  -- Maximum requests per minute and key; null: the gateway's default.
  rate_limit integer check (rate_limit between 1 and 1000000),
  -- Days for which outcomes of records are kept after their import; null: the default of
  -- import-reconciler.
  retain_outcomes_days integer check (retain_outcomes_days between 1 and 3650),
  -- Days for which employees are kept after their offboarding, answers after the end of their
  -- cycle, and the audit log; null: the service's default (rules DATA-RETENTION-1 to
  -- DATA-RETENTION-3).
  retain_offboarded_days integer check (retain_offboarded_days between 1 and 3650),
  retain_answers_days integer check (retain_answers_days between 1 and 3650),
  retain_audit_days integer check (retain_audit_days between 1 and 3650),
  -- What happens to the answers of an employee who is erased (rule DATA-ERASURE-2).
  erased_answers text not null default 'anonymise' check (erased_answers in ('anonymise', 'delete')),
  -- strict: scores and texts come only from blocks of closed cycles (docs/anonymity.md).
  disclosure_guard text not null default 'off' check (disclosure_guard in ('off', 'strict')),
  -- Time between the end of a cycle and the release of its answers under strict.
  guard_settling_hours integer not null default 24 check (guard_settling_hours between 1 and 720),
  changed_at timestamptz not null default now(),
  primary key (account_id, version)
);
call isolate_accounts('admin.settings');

-- Days for which an account keeps data of this kind; null: for ever. default_days: of accounts
-- without a setting; 0: for ever.
create function admin.retention_days(account bigint, kind text, default_days double precision) returns double precision
  language sql stable set search_path = ''
  as $$
    select coalesce((
      select case kind when 'outcomes' then s.retain_outcomes_days when 'offboarded' then s.retain_offboarded_days
        when 'answers' then s.retain_answers_days when 'audit' then s.retain_audit_days end
      from admin.settings s where s.account_id = account order by s.version desc limit 1), nullif(default_days, 0))
  $$;

-- Attributes that an account admin has released for API use: none by default.
create table admin.released_attribute (
  account_id bigint not null references admin.account,
  attribute_id integer not null,
  released_at timestamptz not null default now(),
  primary key (account_id, attribute_id)
);
call isolate_accounts('admin.released_attribute');

create table admin.api_key (
  account_id bigint not null references admin.account,
  key_id uuid not null,
  -- SHA-256: keys are long and random, so a fast hash suffices and look-ups leak nothing by timing.
  hash bytea not null,
  prefix text not null,
  scope text not null check (scope in ('read', 'employees:write')),
  name text check (length(name) between 1 and 60),
  created_by text,
  created_at timestamptz not null default now(),
  -- The key is rejected from then on.
  ends_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, key_id)
);
create unique index api_key_by_hash on admin.api_key (hash);
call isolate_accounts('admin.api_key');

-- Everything a key check needs, in one round trip. A revoked or expired key looks like an unknown
-- one. Gateways cache a result for at most 10 s, and never beyond the end of the key.
create function admin.find_api_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text, rate_limit integer, ends_in_ms double precision)
  language sql stable set search_path = ''
  as $$
    select k.account_id, k.key_id, k.scope,
      (select s.rate_limit from admin.settings s where s.account_id = k.account_id order by s.version desc limit 1),
      extract(epoch from k.ends_at - now()) * 1000
    from admin.api_key k where k.hash = key_hash and k.revoked_at is null and (k.ends_at is null or k.ends_at > now())
  $$;

-- Requests by key and day, in UTC.
create table admin.key_usage (
  account_id bigint not null,
  key_id uuid not null,
  day date not null,
  succeeded bigint not null default 0,
  -- 4xx other than 429.
  rejected bigint not null default 0,
  -- 429.
  throttled bigint not null default 0,
  -- 5xx.
  failed bigint not null default 0,
  last_used_at timestamptz not null,
  primary key (account_id, key_id, day),
  foreign key (account_id, key_id) references admin.api_key
);
call isolate_accounts('admin.key_usage');

-- Adds the counts of one gateway: [{"account_id", "key_id", "succeeded", "rejected", "throttled",
-- "failed", "last_used_at"}]. Deletes days that are over 400 days old, of keys that are in use.
create function admin.add_key_usage(counts jsonb) returns void
  language plpgsql set search_path = ''
  as $$
    begin
      delete from admin.key_usage u where u.day < (now() at time zone 'utc')::date - 400 and (u.account_id, u.key_id) in (
        select c.account_id, c.key_id from jsonb_to_recordset(counts) as c (account_id bigint, key_id uuid));
      insert into admin.key_usage as known (account_id, key_id, day, succeeded, rejected, throttled, failed, last_used_at)
      select c.account_id, c.key_id, (c.last_used_at at time zone 'utc')::date, c.succeeded, c.rejected, c.throttled, c.failed, c.last_used_at
      from jsonb_to_recordset(counts) as c
        (account_id bigint, key_id uuid, succeeded bigint, rejected bigint, throttled bigint, failed bigint, last_used_at timestamptz)
      join admin.api_key k on k.account_id = c.account_id and k.key_id = c.key_id
      order by c.account_id, c.key_id
      on conflict (account_id, key_id, day) do update set
        succeeded = known.succeeded + excluded.succeeded, rejected = known.rejected + excluded.rejected,
        throttled = known.throttled + excluded.throttled, failed = known.failed + excluded.failed,
        last_used_at = greatest(known.last_used_at, excluded.last_used_at);
    end
  $$;

create table admin.audit (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  recorded_at timestamptz not null default now(),
  actor text not null,
  actor_kind text not null default 'surveyctl' check (actor_kind in ('admin', 'operator', 'surveyctl', 'service')),
  -- Instead of an address, which would outlive the employee.
  actor_employee_id bigint,
  action text not null,
  before jsonb,
  after jsonb,
  reason text,
  request_id text,
  address text,
  primary key (account_id, id)
);
call isolate_accounts('admin.audit');

-- Accounts with expired entries of the audit log, and since when. Ids and times grow together.
create function admin.expired_audit(default_days double precision) returns table (account_id bigint, expired_at timestamptz)
  language plpgsql stable set search_path = ''
  as $$
    declare
      of_account bigint;
      kept interval;
    begin
      for of_account in select a.account_id from admin.account a where a.closed_at is null loop
        kept := admin.retention_days(of_account, 'audit', default_days) * interval '1 day';
        return query
        select o.account_id, o.recorded_at + kept
        from (select l.account_id, l.recorded_at from admin.audit l where l.account_id = of_account order by l.id limit 1) o
        where o.recorded_at < now() - kept;
      end loop;
    end
  $$;

-- Deletes up to 5,000 expired entries of an account. Returns their number.
create function admin.delete_expired_audit(wanted_account bigint, default_days double precision) returns bigint
  language plpgsql set search_path = ''
  as $$
    declare
      kept interval := admin.retention_days(wanted_account, 'audit', default_days) * interval '1 day';
      deleted bigint;
    begin
      delete from admin.audit l
      where l.account_id = wanted_account and l.recorded_at < now() - kept and l.id = any(array(
        select o.id from admin.audit o where o.account_id = wanted_account order by o.id limit 5000));
      get diagnostics deleted = row_count;
      return deleted;
    end
  $$;

-- Issuers whose users may administer an account: an issuer must not vouch for another customer's
-- admins.
create table admin.account_issuer (
  account_id bigint not null references admin.account,
  issuer text not null,
  primary key (account_id, issuer)
);
call isolate_accounts('admin.account_issuer');

-- An employee's identity at an issuer. Linked once by a verified address; after that only issuer
-- and subject count.
create table admin.identity (
  account_id bigint not null references admin.account,
  issuer text not null,
  subject text not null,
  employee_id bigint not null,
  linked_at timestamptz not null default now(),
  last_sign_in_at timestamptz not null default now(),
  primary key (account_id, issuer, subject),
  unique (account_id, issuer, employee_id)
);
create index identity_by_subject on admin.identity (issuer, subject);
call isolate_accounts('admin.identity');

-- Addresses whose owner may administer an account that has no such employee yet (rule
-- AUTH-INVITATION-1). The first subject that signs in with the address takes the invitation.
create table admin.invitation (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  email text not null,
  -- imports.email_key(email).
  email_key text collate "C" not null,
  ends_at timestamptz not null,
  issuer text,
  subject text,
  primary key (account_id, id),
  unique (account_id, email_key),
  check ((issuer is null) = (subject is null))
);
call isolate_accounts('admin.invitation');

-- Messages of account-admin to the bus.
create table admin.outbox (
  account_id bigint not null,
  id bigint generated always as identity,
  -- Message id on the bus. Random, because a database that has lost commits reuses serial ids.
  message_id uuid not null default gen_random_uuid(),
  subject text not null,
  payload bytea not null,
  -- Null for messages that are not events.
  sequence bigint,
  -- W3C traceparent under which the message was enqueued; workers continue that trace.
  traceparent text,
  -- Not the start of the transaction, which may be minutes old.
  created_at timestamptz not null default clock_timestamp(),
  sent_at timestamptz,
  primary key (account_id, id)
);
create index outbox_unsent on admin.outbox (account_id, id) where sent_at is null;
create index outbox_sent on admin.outbox (sent_at) where sent_at is not null;
-- Written once, read once, deleted: compression would cost more than it saves.
alter table admin.outbox alter column payload set storage external;
call isolate_outbox('admin.outbox', 'survey_admin');

-- Number of an account's last event from each service. The row stays locked from numbering to
-- commit: events become visible in order, and a rollback leaves no gap.
create table admin.event_sequence (
  account_id bigint primary key references admin.account,
  last_sequence bigint not null
);
call isolate_accounts('admin.event_sequence');

-- Background work of accounts and its due time. The transaction that makes work due inserts a row
-- and changes none, so writers of one account wait neither for each other nor for workers. A worker
-- replaces due rows with its own row, which becomes due again if the worker dies. Rows hold no
-- account's data: no row-level security.
create table admin.due (
  id bigint generated always as identity primary key,
  kind text not null,
  account_id bigint not null,
  due_at timestamptz not null default now(),
  -- Consecutive failed attempts.
  attempts smallint not null default 0
);
create index due_next on admin.due (due_at);
create index due_of_account on admin.due (account_id, kind);

-- Each table is written by one service and read by the roles named here.
grant usage on schema admin to survey_admin, survey_gateway, survey_imports, survey_export, survey_scoring, survey_text, survey_definer;

-- A replayed deletion of an account that the restored database does not know skips its id.
grant select, update on sequence admin.account_account_id_seq to survey_admin;
grant select, insert, update on admin.account, admin.integration, admin.api_key, admin.event_sequence to survey_admin;
grant select, insert, update, delete on admin.identity, admin.invitation, admin.account_deletion, admin.due to survey_admin;
grant select, insert, delete on admin.released_attribute, admin.account_issuer to survey_admin;
grant select, insert on admin.settings, admin.audit to survey_admin;
grant select on admin.key_usage to survey_admin;

-- The accepting transaction of an import checks the key's scope again: an upload takes minutes.
grant select (account_id, key_id, scope, revoked_at, ends_at) on admin.api_key to survey_imports;
-- text-analysis names an account's first topics in its language.
grant select on admin.integration to survey_imports, survey_text;
grant select on admin.released_attribute to survey_export;
grant select on admin.settings to survey_text, survey_scoring, survey_export;
grant select (account_id, version, erased_answers, disclosure_guard, guard_settling_hours, changed_at) on admin.settings to survey_imports;

grant select on admin.account, admin.account_deletion, admin.api_key, admin.settings, admin.account_issuer, admin.identity, admin.invitation,
  admin.audit to survey_definer;
grant select, insert, update, delete on admin.key_usage to survey_definer;
grant delete on admin.audit to survey_definer;
call run_as_definer('admin.account_exists', 'survey_imports', 'survey_export', 'survey_scoring', 'survey_text');
call run_as_definer('admin.accounts_to_delete', 'survey_imports', 'survey_export', 'survey_scoring', 'survey_text');
call run_as_definer('admin.closed_for_ms', 'survey_imports', 'survey_export', 'survey_scoring', 'survey_text');
call run_as_definer('admin.unfinished_deletions', 'survey_admin');
call run_as_definer('admin.retention_days', 'survey_imports', 'survey_scoring', 'survey_text');
call run_as_definer('admin.expired_audit', 'survey_admin');
call run_as_definer('admin.delete_expired_audit', 'survey_admin');
call run_as_definer('admin.find_api_key', 'survey_gateway');
call run_as_definer('admin.add_key_usage', 'survey_gateway');

call allow_account_deletion('admin', 'survey_admin');
-- What proves a deletion stays.
revoke delete on admin.account, admin.audit, admin.deleted_rows from survey_admin;
