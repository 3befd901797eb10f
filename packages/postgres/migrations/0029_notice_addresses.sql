-- Addresses of people other than admins who get the mails about imports, the hour of a schedule, and
-- who has decided about the disclosure guard.

-- Each request for a confirmation is a row. It is emptied when the address is removed or asked again,
-- and deleted after a day, so that requests can be counted and limited until then.
create table admin.notice_address (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  -- Empty once removed.
  email text not null,
  -- imports.email_key(email); null once removed.
  email_key text collate "C",
  -- SHA-256 of the key, by which requests of all accounts for one address are counted.
  address_hash bytea not null,
  language text not null check (language in ('en', 'de')),
  -- The link that ends the mails proves only that its owner got one, so it is derived from this. The
  -- link that confirms is random, and imports.mail has its hash.
  stop_secret uuid not null default gen_random_uuid(),
  -- Id in imports.mail of the mail that asks, so that there is one.
  mail_id uuid not null default gen_random_uuid(),
  asked_at timestamptz not null default now(),
  confirmed_at timestamptz,
  removed_at timestamptz,
  primary key (account_id, id),
  unique (account_id, email_key)
);
call isolate_accounts('admin.notice_address');
alter table admin.notice_address alter column account_id set statistics 0;
create index notice_address_asked on admin.notice_address (asked_at) where confirmed_at is null or removed_at is not null;
create index notice_address_hash on admin.notice_address (address_hash);
comment on table admin.notice_address is 'Further addresses that get mails about imports, once their owners have confirmed them.';
comment on column admin.notice_address.email is
  'Personal data: e-mail address. Purpose: mails about imports. Kept: until it is removed, not confirmed for a week, its employee is erased or the account is deleted.';
comment on column admin.notice_address.email_key is
  'Personal data: e-mail address. Purpose: mails about imports. Kept: until it is removed, not confirmed for a week, its employee is erased or the account is deleted.';
comment on column admin.notice_address.address_hash is
  'Personal data: hash of the e-mail address. Purpose: nobody gets many requests to confirm an address. Kept: as long as the address, and for at least a day after the request; until its employee is erased or the account is deleted.';
grant select, insert, update, delete on admin.notice_address to survey_admin;
grant select on admin.notice_address to survey_imports, survey_definer;

-- Requests of the last day for an address, in all accounts.
create function admin.confirmations_requested(wanted_hash bytea) returns bigint
  language sql stable set search_path = ''
  as $$
    select count(*) from admin.notice_address a where a.address_hash = wanted_hash and a.asked_at > now() - interval '1 day'
  $$;
call run_as_definer('admin.confirmations_requested', 'survey_admin');

-- The name of the transaction's account, for the mail that asks.
create function admin.own_account_name() returns text
  language sql stable set search_path = ''
  as $$ select a.name from admin.account a where a.account_id = public.current_account() $$;
call run_as_definer('admin.own_account_name', 'survey_imports');

create function admin.accounts_with_unused_addresses() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select distinct a.account_id from admin.notice_address a
    where (a.removed_at is not null and a.asked_at < now() - interval '1 day')
      or (a.confirmed_at is null and a.asked_at < now() - interval '7 days')
  $$;
call run_as_definer('admin.accounts_with_unused_addresses', 'survey_admin');

-- A mail that asks the owner of an address to confirm it.
alter table imports.mail
  add column address_id bigint,
  -- SHA-256 of the tokens in the links of all attempts: any of them may have arrived.
  add column token_hashes bytea[] not null default '{}',
  -- Ids of the further addresses whose copy the mail server has accepted.
  add column sent_to_addresses bigint[] not null default '{}';

-- Only mails that the previous release can compose.
create or replace function imports.due_mails()
  returns table (account_id bigint, id uuid)
  language sql stable security definer set search_path = ''
  as $$
    select m.account_id, m.id from imports.mail m
    where m.kind is null and m.key_id is null and m.address_id is null and m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;

-- Addresses whose owners have not been asked yet.
create function imports.requested_confirmations()
  returns table (account_id bigint, address_id bigint, mail_id uuid)
  language plpgsql stable set search_path = ''
  as $$
    declare
      asked record;
    begin
      for asked in
        select a.account_id, a.id, a.mail_id from admin.notice_address a
        where a.confirmed_at is null and a.removed_at is null and a.asked_at > now() - interval '1 day'
        order by a.asked_at
      loop
        continue when not admin.account_exists(asked.account_id);
        if not exists (select from imports.mail m where m.account_id = asked.account_id and m.id = asked.mail_id) then
          account_id := asked.account_id;
          address_id := asked.id;
          mail_id := asked.mail_id;
          return next;
        end if;
      end loop;
    end
  $$;
call run_as_definer('imports.requested_confirmations', 'survey_imports');

create or replace function admin.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable security definer set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object(
          'sign_ins', coalesce((
            select jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject, 'linked_at', i.linked_at,
              'last_sign_in_at', i.last_sign_in_at) order by i.issuer)
            from admin.identity i where i.account_id = wanted_account and i.employee_id = wanted_employee), '[]'),
          'invitations', coalesce((
            select jsonb_agg(jsonb_build_object('email', i.email, 'ends_at', i.ends_at) order by i.id)
            from admin.invitation i join imports.employee e on e.account_id = i.account_id and imports.email_key(e.email) = imports.email_key(i.email)
            where i.account_id = wanted_account and e.id = wanted_employee and e.email <> ''), '[]'),
          'notice_addresses', coalesce((
            select jsonb_agg(jsonb_build_object('email', a.email, 'asked_at', a.asked_at, 'confirmed_at', a.confirmed_at) order by a.id)
            from admin.notice_address a join imports.employee e on e.account_id = a.account_id and imports.email_key(e.email) = a.email_key
            where a.account_id = wanted_account and e.id = wanted_employee and e.email <> ''), '[]'),
          'audited_actions', coalesce((
            select jsonb_agg(jsonb_build_object('at', a.recorded_at, 'action', a.action, 'reason', a.reason, 'address', a.address) order by a.id)
            from admin.audit a where a.account_id = wanted_account and a.actor_employee_id = wanted_employee), '[]'))
      );
    end
  $$;

alter table admin.settings
  -- Hour (UTC) by which a snapshot of a daily or weekly schedule has come; null: not set.
  add column import_schedule_hour smallint check (import_schedule_hour between 0 and 23),
  -- Whether somebody has decided about the disclosure guard since the account was created.
  add column guard_decided boolean not null default false;
grant select (import_schedule_hour) on admin.settings to survey_imports;

-- By when the next snapshot is expected; null when nothing is expected. A day of the week on which
-- snapshots came in both of the two weeks before the last one is a day on which one is expected.
create function imports.snapshot_due(wanted_account bigint) returns timestamptz
  language plpgsql stable set search_path = ''
  as $$
    declare
      schedule text;
      set_hour smallint;
      connected timestamptz := (select g.connected_at from admin.integration g where g.account_id = wanted_account and g.disconnected_at is null);
      newest timestamptz := (select max(i.accepted_at) from imports.import i where i.account_id = wanted_account and i.rerun_of is null);
      due timestamptz;
    begin
      if connected is null then
        return null;
      end if;
      select s.import_schedule, s.import_schedule_hour into schedule, set_hour
      from admin.settings s where s.account_id = wanted_account order by s.version desc limit 1;
      if schedule is null then
        select min(day) + interval '36 hours' into due
        from generate_series(1, 7) ahead, lateral (select date_trunc('day', newest, 'UTC') + ahead * interval '1 day' as day) d
        where (
          select count(distinct (date_trunc('day', newest, 'UTC')::date - date_trunc('day', i.accepted_at, 'UTC')::date) / 7)
          from imports.import i
          where i.account_id = wanted_account and i.rerun_of is null
            and i.accepted_at >= date_trunc('day', newest, 'UTC') - interval '13 days'
            and extract(isodow from i.accepted_at at time zone 'UTC') = extract(isodow from day at time zone 'UTC')
        ) = 2;
        -- A schedule that was learned is forgotten after two weeks.
        return nullif(greatest(due, now() - interval '14 days'), now() - interval '14 days');
      elsif set_hour is null then
        return greatest(newest, connected) + case schedule when 'daily' then interval '36 hours' else interval '8 days' end;
      end if;
      -- The first such hour that comes at least a day or a week after the last snapshot.
      due := greatest(newest, connected) + case schedule when 'daily' then interval '1 day' else interval '7 days' end;
      return date_trunc('day', due - set_hour * interval '1 hour' - interval '1 microsecond', 'UTC')
        + interval '1 day' + set_hour * interval '1 hour';
    end
  $$;

create or replace function imports.overdue_since(wanted_account bigint) returns timestamptz
  language sql stable set search_path = ''
  as $$ select d.due from imports.snapshot_due(wanted_account) d (due) where d.due < now() $$;
