-- Employees who get another import_id, such as from a new HR system (rule IMPORT-IDENTITY-16).

-- Until the application has learned the new import_ids, its facts name the old ones. They are kept as
-- keyed hashes, because a fact about an erased employee must still be recognised. An import_id that an
-- employee has now never means a former one.
create table imports.former_import_id (
  account_id bigint not null references admin.account,
  import_id_hash bytea not null,
  employee_id bigint not null,
  ends_at timestamptz not null,
  primary key (account_id, import_id_hash)
);
call isolate_accounts('imports.former_import_id');
alter table imports.former_import_id alter column account_id set statistics 0;
comment on table imports.former_import_id is 'Hashes of import_ids that employees had, so that facts that name them still find the employee.';
comment on column imports.former_import_id.import_id_hash is
  'Personal data: keyed hash of an import_id that an employee had before a change of the HR system. Purpose: facts that name it still find the employee, and are rejected once the employee is erased. Kept: 30 days, or until the account is deleted.';
comment on column imports.former_import_id.employee_id is
  'Personal data: id of an employee. Purpose: facts that name a former import_id. Kept: 30 days, or until the account is deleted.';
grant select, insert, update, delete on imports.former_import_id to survey_imports;
grant update (import_id) on imports.record_result to survey_imports;
grant select on imports.former_import_id to survey_export, survey_scoring, survey_text;

-- Makes what other services have stored about these import_ids refer to the employees by id. Needs the
-- lock of export's writers (services/export/src/facts/assignments.ts).
create function imports.refer_by_id(wanted_account bigint, import_ids text[], employees bigint[]) returns void
  language plpgsql set search_path = ''
  as $$
    declare
      its_schema text;
    begin
      update export.initiative i set assignee_id = w.id, assignee_import_id = null
      from unnest(import_ids, employees) w (import_id, id)
      where i.account_id = wanted_account and i.assignee_import_id = w.import_id;
      update export.initiative i set creator_id = w.id, creator_import_id = null
      from unnest(import_ids, employees) w (import_id, id)
      where i.account_id = wanted_account and i.creator_import_id = w.import_id;
      update export.survey s set access_employee_ids = s.access_employee_ids || w.ids,
        access_import_ids = array(select a from unnest(s.access_import_ids) a where a <> all(w.import_ids))
      from (
        select o.id, array_agg(w.id) as ids, array_agg(w.import_id) as import_ids
        from export.survey o cross join lateral unnest(o.access_import_ids) a (import_id)
        join unnest(import_ids, employees) w (import_id, id) on w.import_id = a.import_id
        where o.account_id = wanted_account group by o.id
      ) w
      where s.account_id = wanted_account and s.id = w.id;
      foreach its_schema in array array['export', 'scoring', 'text'] loop
        execute format(
          'update %1$I.deferred_fact f set missing_object = ''employee '' || w.id
           from unnest($2, $3) w (import_id, id)
           where f.account_id = $1 and f.missing_object = ''import_id '' || w.import_id and not exists (
             select from %1$I.deferred_fact o
             where o.account_id = $1 and o.kind = f.kind and o.object_id = f.object_id and o.missing_object = ''employee '' || w.id)', its_schema)
        using wanted_account, import_ids, employees;
      end loop;
    end
  $$;
grant update (assignee_id, assignee_import_id, creator_id, creator_import_id) on export.initiative to survey_definer;
grant update (access_employee_ids, access_import_ids) on export.survey to survey_definer;
grant update (missing_object) on export.deferred_fact, scoring.deferred_fact, text.deferred_fact to survey_definer;
grant select on scoring.deferred_fact to survey_definer;
call run_as_definer('imports.refer_by_id', 'survey_imports');
