-- Up Migration

-- A body without an import: being received, or kept for a dry run. The row is deleted when the
-- import is accepted, or with the body.
create table imports.upload (
  account_id bigint not null,
  import_uuid uuid not null,
  last_chunk_at timestamptz not null default clock_timestamp(),
  -- Known once the body is valid.
  largest_record_bytes integer not null default 0,
  primary key (account_id, import_uuid)
);
create index upload_by_last_chunk on imports.upload (last_chunk_at);
call isolate_accounts('imports.upload');
create policy sweep on imports.upload to current_user using (true);
insert into imports.upload (account_id, import_uuid)
select distinct p.account_id, p.import_uuid from imports.payload p
where not exists (select from imports.import i where i.account_id = p.account_id and i.import_uuid = p.import_uuid);
grant select, insert, update, delete on imports.upload to survey_imports;

alter table imports.import
  -- Only for an import that the deletion threshold cancelled: its body is deleted then. Null
  -- without a body.
  add column body_kept_until timestamptz,
  -- JSON size: an import with large records needs much memory.
  add column largest_record_bytes integer not null default 0,
  -- Attempts that failed because of the import itself; `attempts` counts all.
  add column failed_attempts integer not null default 0,
  add column first_attempt_at timestamptz,
  -- Set before an attempt, so that the delay also applies if the worker is killed during it.
  add column next_attempt_at timestamptz not null default now();
update imports.import
set body_kept_until = case when cancelled_for_deletes then finished_at + interval '7 days' else finished_at end
where finished_at is not null;
create index import_body_to_delete on imports.import (body_kept_until) where body_kept_until is not null;

-- Imports whose next attempt may begin, of all accounts, by id only.
create function imports.due_imports()
  returns table (account_id bigint, import_uuid uuid)
  language sql stable security definer set search_path = ''
  as $$
    select i.account_id, i.import_uuid from imports.import i
    where i.finished_at is null and i.next_attempt_at <= now() order by i.accepted_at
  $$;
revoke execute on function imports.due_imports from public;
grant execute on function imports.due_imports to survey_imports;

-- Reads only imports.upload by its index; it has one row per upload.
create or replace function imports.delete_abandoned_pieces() returns void
  language sql security definer set search_path = ''
  as $$
    with abandoned as (
      delete from imports.upload u where (u.account_id, u.import_uuid) in (
        select q.account_id, q.import_uuid from imports.upload q
        where q.last_chunk_at < now() - interval '1 hour' order by q.last_chunk_at limit 10 for update skip locked)
      returning u.account_id, u.import_uuid)
    delete from imports.payload p using abandoned a
    where p.account_id = a.account_id and p.import_uuid = a.import_uuid
      and not exists (select from imports.import i where i.account_id = p.account_id and i.import_uuid = p.import_uuid)
  $$;

-- Deletes one expired body of any account as a whole: allow-deletes finds all of it or nothing.
-- Returns false if there is none.
create function imports.delete_expired_body() returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  expired record;
begin
  select i.account_id, i.import_uuid into expired from imports.import i
  where i.body_kept_until <= now() order by i.body_kept_until limit 1
  for no key update of i skip locked;
  if not found then return false; end if;
  delete from imports.payload p where p.account_id = expired.account_id and p.import_uuid = expired.import_uuid;
  update imports.import i set body_kept_until = null
  where i.account_id = expired.account_id and i.import_uuid = expired.import_uuid;
  return true;
end $$;
revoke execute on function imports.delete_expired_body from public;
grant execute on function imports.delete_expired_body to survey_imports;

-- As in 0007, without the body, which expires separately.
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

  delete from imports.mail m where m.account_id = expired.account_id and m.import_uuid = expired.import_uuid;
  update imports.import i set records_deleted_at = now()
  where i.account_id = expired.account_id and i.import_uuid = expired.import_uuid;
  return true;
end $$;

-- The accepting transaction checks the key's scope again: an upload takes minutes.
grant select (account_id, key_id, scope, revoked_at) on admin.api_key to survey_imports;
