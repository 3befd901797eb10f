-- Up Migration

-- Objects that the application publishes as facts on INTAKE, for the lists. Of two facts about one
-- object the higher (revision, digest) wins, so order, repetition and delay change nothing.

create schema export;

create table export.survey (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  -- SHA-256 of the fact's bytes.
  digest bytea not null,
  import_id text,
  name jsonb not null,
  frequency text not null,
  created_at timestamptz not null,
  start_at timestamptz,
  end_at timestamptz,
  archived_at timestamptz,
  current_survey_ends_at timestamptz,
  next_survey_starts_at timestamptz,
  is_archived boolean not null,
  is_deactivated boolean not null,
  -- Employees by id, and by import_id of the import API; resolved when they are read.
  access_employee_ids bigint[] not null,
  access_import_ids text[] not null,
  survey_properties jsonb not null,
  timezone text not null,
  primary key (account_id, id)
);
call isolate_accounts('export.survey');

create table export.question (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  name jsonb not null,
  type text not null,
  is_deleted boolean not null,
  answer_options jsonb not null,
  primary key (account_id, id)
);
call isolate_accounts('export.question');

create table export.cycle (
  account_id bigint not null references admin.account,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  primary key (account_id, id)
);
create index cycle_newest_first on export.cycle (account_id, opened_at desc, id);
call isolate_accounts('export.cycle');

create table export.assignment (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  employee_id bigint not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Survey before the last change, null for a newly inserted row: writers derive the counter
  -- changes from it.
  previous_survey_id bigint,
  primary key (account_id, id)
);
-- Does not begin with account_id, so that no query uses it to find ids: for accounts without
-- statistics PostgreSQL expects one row, and might scan the whole account instead of using the
-- primary key.
create index assignment_of_survey on export.assignment (survey_id, account_id, id);
call isolate_accounts('export.assignment');

create table export.initiative (
  account_id bigint not null references admin.account,
  uuid uuid not null,
  revision bigint not null,
  digest bytea not null,
  title text not null,
  status text not null,
  survey_id bigint,
  question_ids bigint[] not null,
  -- An employee by id or by import_id, or none: resolved when read.
  assignee_id bigint,
  assignee_import_id text,
  creator_id bigint,
  creator_import_id text,
  notes text not null,
  completion_date timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  is_private boolean not null,
  reminder_settings text[] not null,
  notification_settings text[] not null,
  primary key (account_id, uuid)
);
create index initiative_newest_first on export.initiative (account_id, created_at desc, uuid);
call isolate_accounts('export.initiative');

-- Number of assignments per range of ids, as in imports.employee_block.
create table export.assignment_block (
  account_id bigint not null references admin.account,
  -- 0 counts the assignments of all surveys.
  survey_id bigint not null,
  level smallint not null check (level in (1, 2)),
  block bigint not null,
  row_count integer not null,
  primary key (account_id, survey_id, level, block)
);
call isolate_accounts('export.assignment_block');

-- Facts about an employee who does not exist yet.
create table export.deferred_fact (
  account_id bigint not null references admin.account,
  kind text not null,
  -- Id of the fact's object, as text.
  object_id text not null,
  revision bigint not null,
  digest bytea not null,
  -- The object that the fact refers to and that does not exist yet: `employee <id>`,
  -- `import_id <import_id>`, `response <id>` or `topic <key>`.
  missing_object text not null,
  fact bytea not null,
  -- Source of the fact, so that a publisher can look up its deferred facts.
  source text not null,
  line bigint not null,
  deferred_at timestamptz not null default now(),
  -- The newest fact per object and employee: the result does not depend on the order of the facts.
  primary key (account_id, kind, object_id, missing_object)
);
create index deferred_fact_by_missing on export.deferred_fact (account_id, missing_object);
call isolate_accounts('export.deferred_fact');

create table export.dead_letter (like imports.dead_letter including all);
call isolate_accounts('export.dead_letter');

create table export.due (like admin.due including all);

-- What this schema holds about one employee, for that employee.
create function export.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        with person as (
          select e.id, case when e.created_via = 'import_api' then e.import_id end as import_id
          from imports.employee e where e.account_id = wanted_account and e.id = wanted_employee
        )
        select jsonb_build_object(
          'assignments', coalesce((
            select jsonb_agg(jsonb_build_object('id', a.id, 'survey_id', a.survey_id, 'created_at', a.created_at, 'deleted_at', a.deleted_at)
              order by a.id)
            from export.assignment a where a.account_id = wanted_account and a.employee_id = p.id), '[]'),
          'initiatives', coalesce((
            select jsonb_agg(jsonb_build_object('uuid', i.uuid, 'title', i.title,
              'is_creator', coalesce(i.creator_id = p.id or i.creator_import_id = p.import_id, false),
              'is_assignee', coalesce(i.assignee_id = p.id or i.assignee_import_id = p.import_id, false)) order by i.uuid)
            from export.initiative i
            where i.account_id = wanted_account and (p.id in (i.creator_id, i.assignee_id)
              or p.import_id in (i.creator_import_id, i.assignee_import_id))), '[]'),
          'surveys_with_access', coalesce((
            select jsonb_agg(s.id order by s.id) from export.survey s
            where s.account_id = wanted_account and (p.id = any(s.access_employee_ids) or p.import_id = any(s.access_import_ids))), '[]'))
        from person p
      );
    end
  $$;

create function export.accounts_with_deferred_facts() returns setof bigint
  language sql stable set search_path = ''
  as $$ select distinct f.account_id from export.deferred_fact f $$;

grant usage on schema export to survey_export, survey_admin, survey_definer;

grant select, insert, update on export.survey, export.question, export.cycle, export.assignment, export.initiative, export.assignment_block
  to survey_export;
grant select, insert, update, delete on export.deferred_fact, export.due to survey_export;
grant select, insert on export.dead_letter to survey_export;
grant select on export.deferred_fact, export.dead_letter to survey_admin;

grant select on export.deferred_fact, export.assignment, export.initiative, export.survey to survey_definer;
call run_as_definer('export.employee_data', 'survey_admin');
call run_as_definer('export.accounts_with_deferred_facts', 'survey_export');

call allow_account_deletion('export', 'survey_export');
revoke delete on export.deleted_rows from survey_export;
