-- Up Migration

-- Maximum requests per minute and key of the account; null: the gateway's default.
alter table admin.settings add column rate_limit integer check (rate_limit between 1 and 1000000);

-- Keeps the key check at one round trip, including the limit.
create policy rate_limit_lookup on admin.settings for select to current_user using (true);
drop function admin.find_api_key;
create function admin.find_api_key(key_hash bytea)
  returns table (account_id bigint, key_id uuid, scope text, rate_limit integer)
  language sql stable security definer set search_path = ''
  as $$
    select k.account_id, k.key_id, k.scope,
      (select s.rate_limit from admin.settings s where s.account_id = k.account_id order by s.version desc limit 1)
    from admin.api_key k where k.hash = key_hash and k.revoked_at is null
  $$;
revoke execute on function admin.find_api_key from public;
grant execute on function admin.find_api_key to survey_gateway;
