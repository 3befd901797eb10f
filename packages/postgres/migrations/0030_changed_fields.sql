-- Up Migration

-- Which fields an import changed, and accounts that want no mail before a key expires.

alter table imports.record_result
  -- Names of the fields, never values; null: none, or the import is older than this column.
  add column changed_fields text[];

-- Also key_expiry; account-admin checks it.
alter table admin.settings drop constraint settings_notices_off_check;

create or replace function imports.keys_to_remind_of() returns table (account_id bigint, key_id uuid)
  language plpgsql stable set search_path = ''
  as $$
    declare
      expiring record;
    begin
      for expiring in
        select k.account_id, k.key_id from admin.api_key k
        where k.revoked_at is null and k.ends_at = k.expires_at and k.ends_at > now()
          and k.ends_at - now() <= least(interval '14 days', (k.ends_at - k.created_at) / 2)
      loop
        continue when not admin.account_exists(expiring.account_id);
        continue when (
          select 'key_expiry' = any(s.notices_off) from admin.settings s
          where s.account_id = expiring.account_id order by s.version desc limit 1);
        if not exists (select from imports.mail m where m.account_id = expiring.account_id and m.key_id = expiring.key_id) then
          account_id := expiring.account_id;
          key_id := expiring.key_id;
          return next;
        end if;
      end loop;
    end
  $$;
