-- Up Migration

-- Values of attributes that an admin has renamed or merged (rules ATTRIBUTES-MERGE-1 to
-- ATTRIBUTES-MERGE-5).

-- A value that was merged into another one, or the former spelling of a renamed one. Stored answers
-- keep the id, which is never used again: whoever reads them takes it for the other value.
create table imports.option_alias (
  account_id bigint not null,
  id integer not null,
  attribute_id integer not null,
  name text collate "C" not null,
  -- Whether records and facts that send the name mean the other value; otherwise they create it
  -- anew, with another id.
  is_mapped boolean not null,
  -- The current value, never an alias itself.
  option_id integer not null,
  primary key (account_id, id),
  foreign key (account_id, attribute_id) references imports.attribute
);
create unique index option_alias_by_name on imports.option_alias (account_id, attribute_id, name) where is_mapped;
create index option_alias_by_option on imports.option_alias (account_id, option_id);
create index option_alias_by_attribute on imports.option_alias (account_id, attribute_id);
call isolate_accounts('imports.option_alias');
alter table imports.option_alias alter column account_id set statistics 0;
comment on table imports.option_alias is 'Former values of attributes, and which current value each of them is now.';
comment on column imports.option_alias.name is
  'Personal data: attribute value; of one employee when no other had it. Purpose: later snapshots that still send it. Kept: until the account is deleted, or the employees with the value are erased.';

-- A change that an admin has requested. The row is deleted in the transaction that makes it.
create table imports.value_change (
  account_id bigint not null references admin.account,
  option_id integer not null,
  new_name text collate "C" not null,
  maps_old_name boolean not null,
  requested_at timestamptz not null default clock_timestamp(),
  primary key (account_id, option_id)
);
create index value_change_by_time on imports.value_change (account_id, requested_at, option_id);
call isolate_accounts('imports.value_change');
alter table imports.value_change alter column account_id set statistics 0;
comment on table imports.value_change is 'Values of attributes that are about to be renamed or merged.';
comment on column imports.value_change.new_name is
  'Personal data: attribute value; of one employee when no other has it. Purpose: renaming and merging values. Kept: until the change is made.';

grant select, insert, update, delete on imports.option_alias to survey_imports;
grant select, insert, delete on imports.value_change to survey_imports;
grant select on imports.option_alias to survey_scoring, survey_text, survey_admin, survey_definer;
grant select on imports.value_change to survey_admin, survey_definer;

create function imports.accounts_with_value_changes() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select distinct c.account_id from imports.value_change c join admin.account a on a.account_id = c.account_id and a.closed_at is null
  $$;
call run_as_definer('imports.accounts_with_value_changes', 'survey_imports');
