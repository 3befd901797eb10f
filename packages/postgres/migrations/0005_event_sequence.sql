-- Up Migration

-- The number of an account's last event from each service. Its row is locked from the numbering to
-- the commit: events become visible in the order of their numbers, and a transaction that is rolled
-- back leaves no gap.
create table admin.event_sequence (
  account_id bigint primary key references admin.account,
  last bigint not null
);
call isolate_accounts('admin.event_sequence');

create table imports.event_sequence (like admin.event_sequence including all);
call isolate_accounts('imports.event_sequence');

-- Null for messages that are no events. Their time is that of the row: a transaction may be minutes
-- old when it says what it has done.
alter table admin.outbox add column sequence bigint, alter column created_at set default clock_timestamp();
alter table imports.outbox add column sequence bigint, alter column created_at set default clock_timestamp();

-- Written once, read once, deleted: compressing them would cost more than it saves.
alter table admin.outbox alter column payload set storage external;
alter table imports.outbox alter column payload set storage external;

grant select, insert, update on admin.event_sequence to survey_admin;
grant select, insert, update on imports.event_sequence to survey_imports;
