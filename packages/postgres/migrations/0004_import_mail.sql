-- Up Migration

-- One summary per import that skipped an employee: inserted with the import, retried until the mail
-- server accepts it.
create table imports.mail (
  account_id bigint not null references admin.account,
  import_uuid uuid not null,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Accepted by the mail server, or no recipients.
  sent_at timestamptz,
  -- Not accepted within a day.
  given_up_at timestamptz,
  primary key (account_id, import_uuid)
);
create index mail_due on imports.mail (next_attempt_at) where sent_at is null and given_up_at is null;
call isolate_accounts('imports.mail');

-- Due mails of all accounts, by id only.
create policy send on imports.mail for select to current_user using (true);
create function imports.due_mails()
  returns table (account_id bigint, import_uuid uuid)
  language sql stable security definer set search_path = ''
  as $$
    select m.account_id, m.import_uuid from imports.mail m
    where m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;
revoke execute on function imports.due_mails from public;

grant select, insert, update on imports.mail to survey_imports;
grant execute on function imports.due_mails to survey_imports;
