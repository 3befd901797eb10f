-- Up Migration

-- Number of an account's last event from each service. The row stays locked from numbering to
-- commit: events become visible in order, and a rollback leaves no gap.
create table admin.event_sequence (
  account_id bigint primary key references admin.account,
  last bigint not null
);
call isolate_accounts('admin.event_sequence');

create table imports.event_sequence (like admin.event_sequence including all);
call isolate_accounts('imports.event_sequence');

-- Null for messages that are not events. Their time is that of the row: a transaction may be
-- minutes old when it inserts the message.
alter table admin.outbox add column sequence bigint, alter column created_at set default clock_timestamp();
alter table imports.outbox add column sequence bigint, alter column created_at set default clock_timestamp();

-- Written once, read once, deleted: compression would cost more than it saves.
alter table admin.outbox alter column payload set storage external;
alter table imports.outbox alter column payload set storage external;

grant select, insert, update on admin.event_sequence to survey_admin;
grant select, insert, update on imports.event_sequence to survey_imports;
