-- Values that nobody has are deleted after a time, and an import that ends its process twice fails.

alter table imports.attribute_option
  -- When no employee had the option and no grant named it; null while either does.
  add column unused_since timestamptz;

alter table imports.account_state
  -- When unused options were last looked for.
  add column options_checked_at timestamptz;

-- The last attempt at an import that has not ended. It is written by a transaction of its own,
-- because that of the import does not survive the process.
create table imports.attempt (
  account_id bigint not null references admin.account,
  import_uuid uuid not null,
  -- Counts as imports.import.attempts does.
  number integer not null,
  begun_at timestamptz not null default clock_timestamp(),
  -- Whether it has begun and has not ended.
  in_progress boolean not null default true,
  -- Attempts that did not end by themselves.
  deaths smallint not null default 0,
  primary key (account_id, import_uuid)
);
call isolate_accounts('imports.attempt');
alter table imports.attempt alter column account_id set statistics 0;
comment on table imports.attempt is 'Attempts at imports that have begun, so that one that ends its process is counted.';
grant select, insert, update, delete on imports.attempt to survey_imports;

-- Accounts whose unused values were not looked for today.
create function imports.accounts_with_options_to_check() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select s.account_id from imports.account_state s join admin.account a on a.account_id = s.account_id and a.closed_at is null
    where s.options_checked_at is null or s.options_checked_at < now() - interval '1 day'
  $$;

-- Which of these options answers were given under.
create function imports.answered_options(wanted_account bigint, wanted integer[]) returns setof integer
  language plpgsql stable set search_path = ''
  as $$
    begin
      return query
      select o.id from scoring.response r cross join lateral unnest(r.option_ids) o (id) join unnest(wanted) w (id) on w.id = o.id
      where r.account_id = wanted_account
      union
      select o.id from text.option_set s cross join lateral unnest(s.option_ids) o (id) join unnest(wanted) w (id) on w.id = o.id
      where s.account_id = wanted_account;
    end
  $$;

grant update (unused_since) on imports.attribute_option to survey_imports;
call run_as_definer('imports.accounts_with_options_to_check', 'survey_imports');
call run_as_definer('imports.answered_options', 'survey_imports');
