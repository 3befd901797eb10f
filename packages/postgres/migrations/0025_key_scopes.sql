-- Up Migration

-- Keys that read only a part of the account, and keys that expire.

-- read:scores, read:texts and read:employees, too; account-admin checks them.
alter table admin.api_key drop constraint api_key_scope_check;
alter table admin.api_key
  -- When the key ends unless it is revoked or replaced before; null: never.
  add column expires_at timestamptz;
alter table admin.settings
  -- Days for which a new key is valid at most; null: without limit.
  add column max_key_days integer check (max_key_days between 1 and 3650);

-- For the previous release, which would take a key of a narrow scope for its own fault.
create or replace function admin.find_api_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text, rate_limit integer, ends_in_ms double precision)
  language sql stable security definer set search_path = ''
  as $$
    select k.account_id, k.key_id, k.scope,
      (select s.rate_limit from admin.settings s where s.account_id = k.account_id order by s.version desc limit 1),
      extract(epoch from k.ends_at - now()) * 1000
    from admin.api_key k
    where k.hash = key_hash and k.scope in ('read', 'employees:write') and k.revoked_at is null and (k.ends_at is null or k.ends_at > now())
  $$;

-- Everything a key check needs, in one round trip. A revoked key looks like an unknown one; for a key
-- that has ended by itself, ends_in_ms is not positive.
create function admin.find_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text, rate_limit integer, ends_in_ms double precision)
  language sql stable set search_path = ''
  as $$
    select k.account_id, k.key_id, k.scope,
      (select s.rate_limit from admin.settings s where s.account_id = k.account_id order by s.version desc limit 1),
      extract(epoch from k.ends_at - now()) * 1000
    from admin.api_key k where k.hash = key_hash and k.revoked_at is null
  $$;
call run_as_definer('admin.find_key', 'survey_gateway');

alter table imports.mail
  -- The key that is about to expire; null: the mail is about something else.
  add column key_id uuid;

-- Only mails that the previous release can compose.
create or replace function imports.due_mails()
  returns table (account_id bigint, id uuid)
  language sql stable security definer set search_path = ''
  as $$
    select m.account_id, m.id from imports.mail m
    where m.kind is null and m.key_id is null and m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;

-- Keys that expire within two weeks, or have spent half of a shorter life, and of which no mail has
-- reminded. A key that was replaced ends sooner than it expires.
create function imports.keys_to_remind_of() returns table (account_id bigint, key_id uuid)
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
        if not exists (select from imports.mail m where m.account_id = expiring.account_id and m.key_id = expiring.key_id) then
          account_id := expiring.account_id;
          key_id := expiring.key_id;
          return next;
        end if;
      end loop;
    end
  $$;
grant select (name, prefix, created_at, expires_at) on admin.api_key to survey_imports;

create function imports.accounts_with_expiring_keys() returns setof bigint
  language sql stable set search_path = ''
  as $$ select distinct k.account_id from imports.keys_to_remind_of() k $$;
call run_as_definer('imports.accounts_with_expiring_keys', 'survey_imports');
