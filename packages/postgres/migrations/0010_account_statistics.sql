-- PostgreSQL must expect as many rows of an account that it has not seen yet as of any other. With
-- statistics of account_id, it expects a single row of an account that is new since the last ANALYZE.
-- Any index that begins with account_id, and any order of joins, then costs as little as the right
-- one. Without them, it expects half a percent of the table for every account
-- (docs/adr/0029-no-plan-depends-on-neighbours.md).
create procedure pg_temp.do_without_account_statistics()
  language plpgsql as $$
declare
  of_column record;
begin
  for of_column in
    select a.attrelid, a.attnum, n.nspname, c.relname
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.attname = 'account_id' and c.relkind in ('r', 'p') and n.nspname in ('admin', 'imports', 'export', 'scoring', 'text')
  loop
    begin
      execute format('alter table %I.%I alter column account_id set statistics 0', of_column.nspname, of_column.relname);
    exception when feature_not_supported then
      raise warning 'Citus keeps the statistics of %.%, because it is distributed already', of_column.nspname, of_column.relname;
    end;
    -- ANALYZE keeps what it has found before. Before PostgreSQL 18, only a superuser can delete it.
    if current_setting('is_superuser') = 'on' then
      delete from pg_statistic where starelid = of_column.attrelid and staattnum = of_column.attnum;
    elsif current_setting('server_version_num')::integer >= 180000 then
      perform pg_clear_attribute_stats(of_column.nspname::text, of_column.relname::text, 'account_id', false);
    end if;
  end loop;
end $$;
call pg_temp.do_without_account_statistics();

-- Checking a reference takes as long as inserting the row. These rows come by the thousand, from the
-- only writer of their schema, which in the same transaction has locked the account's state, or has
-- saved the row that they refer to.
alter table scoring.respondent drop constraint respondent_account_id_fkey;
alter table scoring.response drop constraint response_account_id_fkey;
alter table text.respondent drop constraint respondent_account_id_fkey;
alter table text.option_set drop constraint option_set_account_id_fkey;
alter table text.response drop constraint response_account_id_fkey;
alter table text.answer drop constraint answer_account_id_response_id_fkey;
alter table text.pending drop constraint pending_account_id_answer_fkey;
