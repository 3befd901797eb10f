-- Up Migration

-- Background work of accounts, and when to look for it. Rows are added in the transaction that
-- makes the work due, never changed by it: writers of one account do not wait for each other or for
-- workers. Workers replace the rows that are due with one of their own, which is due again should
-- they die. Rows hold no tenant's data: no row-level security.
create table export.due (
  id bigint generated always as identity primary key,
  kind text not null,
  account_id bigint not null,
  due_at timestamptz not null default now(),
  -- Failed turns in succession.
  attempts smallint not null default 0
);
create index due_next on export.due (due_at);
create index due_of_account on export.due (account_id, kind);
create table scoring.due (like export.due including all);
create table text.due (like export.due including all);

grant select, insert, update, delete on export.due to survey_export;
grant select, insert, update, delete on scoring.due to survey_scoring;
grant select, insert, update, delete on text.due to survey_text;
