-- An answer that ends the process, or the thread of the masking model, is given up after two such
-- attempts and stays given up until an operator retries it.
alter table text.pending
  -- An attempt has begun and has not ended.
  add column in_progress boolean not null default false,
  -- Attempts that did not end by themselves.
  add column crashes smallint not null default 0;
alter table text.given_up
  -- Because of crashes: no backfill, rebuild or repeated fact queues it again.
  add column crashed boolean not null default false;
