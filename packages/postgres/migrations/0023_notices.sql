-- Mails about cancelled imports, snapshots that do not come, and identities that look mixed up.

alter table admin.settings
  -- Kinds of mails that the account does not want; those about skipped records and failed imports
  -- cannot be switched off.
  add column notices_off text[] not null default '{}' check (notices_off <@ '{cancelled,identity,late}'),
  -- When snapshots are expected; null: learned from those of the last two weeks.
  add column import_schedule text check (import_schedule in ('daily', 'weekly'));
grant select (notices_off, import_schedule) on admin.settings to survey_imports;

-- A mail about a schedule names neither an import nor settings.
alter table imports.mail drop constraint mail_check;
alter table imports.mail
  -- Null: about the import or settings that the row names. resumed: snapshots come again.
  add column kind text check (kind in ('late', 'resumed')),
  -- When the missing snapshot was expected at the latest.
  add column expected_by timestamptz;

-- Only mails that the previous release can compose.
create or replace function imports.due_mails()
  returns table (account_id bigint, id uuid)
  language sql stable security definer set search_path = ''
  as $$
    select m.account_id, m.id from imports.mail m
    where m.kind is null and m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;

create function imports.due_notices()
  returns table (account_id bigint, id uuid)
  language sql stable set search_path = ''
  as $$
    select m.account_id, m.id from imports.mail m
    where m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;
call run_as_definer('imports.due_notices', 'survey_imports');

-- Until when a snapshot was expected, if none has come; null otherwise. A day of the week on which
-- snapshots came in both of the two weeks before the last one is a day on which one is expected.
create function imports.overdue_since(wanted_account bigint) returns timestamptz
  language plpgsql stable set search_path = ''
  as $$
    declare
      schedule text := (select s.import_schedule from admin.settings s where s.account_id = wanted_account order by s.version desc limit 1);
      connected timestamptz := (select g.connected_at from admin.integration g where g.account_id = wanted_account and g.disconnected_at is null);
      newest timestamptz := (select max(i.accepted_at) from imports.import i where i.account_id = wanted_account and i.rerun_of is null);
      due timestamptz;
    begin
      if connected is null then
        return null;
      elsif schedule is not null then
        due := greatest(newest, connected) + case schedule when 'daily' then interval '36 hours' else interval '8 days' end;
      else
        select min(day) + interval '36 hours' into due
        from generate_series(1, 7) ahead, lateral (select date_trunc('day', newest, 'UTC') + ahead * interval '1 day' as day) d
        where (
          select count(distinct (date_trunc('day', newest, 'UTC')::date - date_trunc('day', i.accepted_at, 'UTC')::date) / 7)
          from imports.import i
          where i.account_id = wanted_account and i.rerun_of is null
            and i.accepted_at >= date_trunc('day', newest, 'UTC') - interval '13 days'
            and extract(isodow from i.accepted_at at time zone 'UTC') = extract(isodow from day at time zone 'UTC')
        ) = 2;
      end if;
      -- A schedule that was learned is forgotten after two weeks.
      return case when due < now() and (schedule is not null or due > now() - interval '14 days') then due end;
    end
  $$;

-- The mail that the account's schedule requires now: late, resumed or none.
create function imports.schedule_notice(wanted_account bigint) returns text
  language plpgsql stable set search_path = ''
  as $$
    declare
      noted_at timestamptz := (
        select case m.kind when 'late' then m.created_at end from imports.mail m
        where m.account_id = wanted_account and m.kind is not null order by m.created_at desc limit 1);
    begin
      if (select 'late' = any(s.notices_off) from admin.settings s where s.account_id = wanted_account order by s.version desc limit 1) then
        return null;
      elsif noted_at is null then
        return case when imports.overdue_since(wanted_account) is not null then 'late' end;
      end if;
      return (
        select 'resumed' from imports.import i
        where i.account_id = wanted_account and i.rerun_of is null and i.accepted_at > noted_at limit 1);
    end
  $$;

create function imports.accounts_off_schedule() returns setof bigint
  language plpgsql stable set search_path = ''
  as $$
    declare
      expecting bigint;
    begin
      for expecting in
        select g.account_id from admin.integration g join admin.account a on a.account_id = g.account_id and a.closed_at is null
      loop
        if imports.schedule_notice(expecting) is not null then
          return next expecting;
        end if;
      end loop;
    end
  $$;
grant select on admin.integration to survey_definer;
call run_as_definer('imports.accounts_off_schedule', 'survey_imports');

-- Asks for each account by a statement of its own: Citus runs none in a function for a row.
create or replace function imports.guard_changes() returns table (account_id bigint, version integer)
  language plpgsql stable set search_path = ''
  as $$
    begin
      for account_id, version in
        select v.account_id, v.version
        from (
          select s.account_id, s.version, s.disclosure_guard, s.guard_settling_hours,
            lag(s.disclosure_guard, 1, 'off') over versions as guard_before, lag(s.guard_settling_hours, 1, 24) over versions as hours_before
          from admin.settings s window versions as (partition by s.account_id order by s.version)
        ) v
        where (v.disclosure_guard, v.guard_settling_hours) <> (v.guard_before, v.hours_before)
      loop
        if admin.account_exists(account_id) then
          return next;
        end if;
      end loop;
    end
  $$;
