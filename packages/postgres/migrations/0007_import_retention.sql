-- Up Migration

alter table imports.import
  -- Cancelled only by the deletion threshold: an operator may override it.
  add column cancelled_for_deletes boolean not null default false,
  -- The import whose snapshot this one reruns with a threshold override.
  add column rerun_of uuid,
  -- Set when the import ends. Body, records and mail are deleted then; counts and cancellation
  -- reasons stay.
  add column records_kept_until timestamptz,
  add column records_deleted_at timestamptz;

update imports.import set records_kept_until = finished_at + interval '30 days' where finished_at is not null;

-- An import is overridden only once.
create unique index import_by_released_from on imports.import (account_id, rerun_of) where rerun_of is not null;
create index import_to_expire on imports.import (records_kept_until) where records_deleted_at is null;

create policy expire on imports.import for update to current_user using (true);
create policy expire on imports.result to current_user using (true);
create policy expire on imports.mail for delete to current_user using (true);

-- Deletes part of one expired import of any account: up to 50 chunks of its body (25 MB), then
-- 5,000 of its records, then its mail, and marks it when nothing is left. Returns false if there is
-- none. Keeps imports whose summaries are still unsent.
create function imports.delete_expired_records() returns boolean
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

  delete from imports.payload p where (p.account_id, p.import_uuid, p.piece) in (
    select q.account_id, q.import_uuid, q.piece from imports.payload q
    where q.account_id = expired.account_id and q.import_uuid = expired.import_uuid limit 50);
  get diagnostics deleted = row_count;
  if deleted = 50 then return true; end if;
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
revoke execute on function imports.delete_expired_records from public;
grant execute on function imports.delete_expired_records to survey_imports;
