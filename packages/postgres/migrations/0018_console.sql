-- Up Migration

-- Data of the web console.

alter table admin.api_key
  add column name text check (length(name) between 1 and 60),
  add column created_by text,
  -- The key is rejected from then on.
  add column ends_at timestamptz,
  add column last_used_at timestamptz;

-- An expired key looks like a revoked one. Gateways cache a result for at most 10 s.
create or replace function admin.find_api_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text, rate_limit integer)
  language sql stable security definer set search_path = ''
  as $$
    select k.account_id, k.key_id, k.scope,
      (select s.rate_limit from admin.settings s where s.account_id = k.account_id order by s.version desc limit 1)
    from admin.api_key k where k.hash = key_hash and k.revoked_at is null and (k.ends_at is null or k.ends_at > now())
  $$;

-- Requests by key and day, in UTC.
create table admin.key_usage (
  account_id bigint not null,
  key_id uuid not null,
  day date not null,
  succeeded bigint not null default 0,
  -- 4xx other than 429.
  refused bigint not null default 0,
  -- 429.
  throttled bigint not null default 0,
  -- 5xx.
  failed bigint not null default 0,
  primary key (account_id, key_id, day),
  foreign key (account_id, key_id) references admin.api_key
);
call isolate_accounts('admin.key_usage');
create policy count_usage on admin.key_usage to current_user using (true);
create policy count_usage on admin.api_key for update to current_user using (true);

-- Adds the counts of one gateway: [{"account_id", "key_id", "succeeded", "refused", "throttled",
-- "failed", "last_used_at"}]. Deletes days that are over 400 days old.
create function admin.add_key_usage(counts jsonb) returns void
  language sql security definer set search_path = ''
  as $$
    with counted as (
      select c.* from jsonb_to_recordset(counts) as c
        (account_id bigint, key_id uuid, succeeded bigint, refused bigint, throttled bigint, failed bigint, last_used_at timestamptz)
      join admin.api_key k on k.account_id = c.account_id and k.key_id = c.key_id
    ), used as (
      update admin.api_key k set last_used_at = greatest(k.last_used_at, c.last_used_at)
      from counted c where k.account_id = c.account_id and k.key_id = c.key_id
    ), expired as (
      delete from admin.key_usage u using counted c
      where u.account_id = c.account_id and u.key_id = c.key_id and u.day < (now() at time zone 'utc')::date - 400
    )
    insert into admin.key_usage as known (account_id, key_id, day, succeeded, refused, throttled, failed)
    select account_id, key_id, (last_used_at at time zone 'utc')::date, succeeded, refused, throttled, failed
    from counted order by account_id, key_id
    on conflict (account_id, key_id, day) do update set
      succeeded = known.succeeded + excluded.succeeded, refused = known.refused + excluded.refused,
      throttled = known.throttled + excluded.throttled, failed = known.failed + excluded.failed
  $$;
revoke execute on function admin.add_key_usage from public;
grant execute on function admin.add_key_usage to survey_gateway;
grant select on admin.key_usage to survey_admin;

-- Actor, principal and reason. Earlier entries were made by surveyctl.
alter table admin.audit
  add column actor_kind text not null default 'surveyctl' check (actor_kind in ('admin', 'operator', 'surveyctl')),
  -- Instead of an address, which would outlive the employee.
  add column actor_employee_id bigint,
  add column reason text,
  add column request_id text,
  add column address text;

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

create index employee_admin_by_email on imports.employee (email_key) where role = 'Admin' and not is_deleted;

create policy sign_in on admin.account_issuer for select to current_user using (true);
create policy sign_in on admin.identity for select to current_user using (true);
create policy sign_in on imports.employee for select to current_user using (true);
create policy sign_in on imports.account_state for select to current_user using (true);

-- Accounts that a user of an issuer may administer, and their employee in each.
-- `verified_email_key` null: linked identities only.
create function admin.find_admin_accounts(of_issuer text, of_subject text, verified_email_key text)
  returns table (account_id bigint, employee_id bigint)
  language sql stable security definer set search_path = ''
  as $$
    select e.account_id, e.id
    from admin.identity l
    join admin.account_issuer b on b.account_id = l.account_id and b.issuer = l.issuer
    join imports.employee e on e.account_id = l.account_id and e.id = l.employee_id
    where l.issuer = of_issuer and l.subject = of_subject and e.role = 'Admin' and not e.is_deleted
    union
    select e.account_id, e.id
    from imports.employee e
    join admin.account_issuer b on b.account_id = e.account_id and b.issuer = of_issuer
    where e.email_key = verified_email_key and e.role = 'Admin' and not e.is_deleted
      and not exists (
        select from admin.identity l join imports.employee linked on linked.account_id = l.account_id and linked.id = l.employee_id
        where l.account_id = e.account_id and l.issuer = of_issuer
          and (l.employee_id = e.id or l.subject = of_subject and linked.role = 'Admin' and not linked.is_deleted))
  $$;
revoke execute on function admin.find_admin_accounts from public;
grant execute on function admin.find_admin_accounts to survey_admin;
grant select, insert, delete on admin.account_issuer to survey_admin;
grant select, insert, update, delete on admin.identity to survey_admin;

-- Employees that an applied import offboarded, or that an import cancelled only by the deletion
-- threshold would have. Kept as long as the import's records.
create table imports.leaving (
  account_id bigint not null,
  import_uuid uuid not null,
  employee_id bigint not null,
  primary key (account_id, import_uuid, employee_id)
);
call isolate_accounts('imports.leaving');
create policy expire on imports.leaving to current_user using (true);
-- As before, and including the records of offboarded employees.
create or replace function imports.delete_expired_records() returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  expired record;
  deleted integer;
begin
  select i.account_id, i.import_uuid into expired from imports.import i
  where i.records_deleted_at is null and i.records_kept_until <= now()
    and not exists (select from imports.mail m where m.account_id = i.account_id and m.import_uuid = i.import_uuid
                    and m.sent_at is null and m.given_up_at is null)
  order by i.records_kept_until limit 1
  for no key update of i skip locked;
  if not found then return false; end if;

  delete from imports.result r where (r.account_id, r.import_uuid, r.index) in (
    select q.account_id, q.import_uuid, q.index from imports.result q
    where q.account_id = expired.account_id and q.import_uuid = expired.import_uuid limit 5000);
  get diagnostics deleted = row_count;
  if deleted = 5000 then return true; end if;

  delete from imports.leaving l where l.account_id = expired.account_id and l.import_uuid = expired.import_uuid;
  delete from imports.mail m where m.account_id = expired.account_id and m.import_uuid = expired.import_uuid;
  update imports.import i set records_deleted_at = now()
  where i.account_id = expired.account_id and i.import_uuid = expired.import_uuid;
  return true;
end $$;

grant select, insert, delete on imports.leaving to survey_imports;
grant select on imports.leaving, imports.mail, imports.account_state to survey_admin;

-- Records of an import that an account admin must check, among up to a million.
create index result_to_attend on imports.result (account_id, import_uuid, index) where outcome = 'skipped' or warnings <> '[]';
create index import_newest_first on imports.import (account_id, accepted_at desc, import_uuid desc);
