-- Up Migration

-- Who still calls operations that will end.
alter table admin.key_usage
  -- Requests to deprecated operations; the outcomes include them.
  add column deprecated bigint not null default 0;

-- Gateways of the previous release report no "deprecated".
create or replace function admin.add_key_usage(counts jsonb) returns void
  language plpgsql security definer set search_path = ''
  as $$
    begin
      delete from admin.key_usage u where u.day < (now() at time zone 'utc')::date - 400 and (u.account_id, u.key_id) in (
        select c.account_id, c.key_id from jsonb_to_recordset(counts) as c (account_id bigint, key_id uuid));
      insert into admin.key_usage as known
        (account_id, key_id, day, succeeded, rejected, throttled, failed, deprecated, last_used_at)
      select c.account_id, c.key_id, (c.last_used_at at time zone 'utc')::date, c.succeeded, c.rejected, c.throttled, c.failed,
        coalesce(c.deprecated, 0), c.last_used_at
      from jsonb_to_recordset(counts) as c (account_id bigint, key_id uuid, succeeded bigint, rejected bigint, throttled bigint,
        failed bigint, deprecated bigint, last_used_at timestamptz)
      join admin.api_key k on k.account_id = c.account_id and k.key_id = c.key_id
      order by c.account_id, c.key_id
      on conflict (account_id, key_id, day) do update set
        succeeded = known.succeeded + excluded.succeeded, rejected = known.rejected + excluded.rejected,
        throttled = known.throttled + excluded.throttled, failed = known.failed + excluded.failed,
        deprecated = known.deprecated + excluded.deprecated,
        last_used_at = greatest(known.last_used_at, excluded.last_used_at);
    end
  $$;
