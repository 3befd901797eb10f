-- Up Migration

-- Background work of accounts and its due time. The transaction that makes work due inserts a row
-- and changes none, so writers of one account wait neither for each other nor for workers. A worker
-- replaces due rows with its own row, which becomes due again if the worker dies. Rows hold no
-- account's data: no row-level security.
create table export.due (
  id bigint generated always as identity primary key,
  kind text not null,
  account_id bigint not null,
  due_at timestamptz not null default now(),
  -- Consecutive failed attempts.
  attempts smallint not null default 0
);
create index due_next on export.due (due_at);
create index due_of_account on export.due (account_id, kind);
create table scoring.due (like export.due including all);
create table text.due (like export.due including all);

grant select, insert, update, delete on export.due to survey_export;
grant select, insert, update, delete on scoring.due to survey_scoring;
grant select, insert, update, delete on text.due to survey_text;
