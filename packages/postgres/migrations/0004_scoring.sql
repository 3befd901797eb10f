-- Up Migration

-- Numeric answers, and the data that decides whether a score of them is shown.

create schema scoring;

create table scoring.survey (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  -- SHA-256 of the fact's bytes.
  digest bytea not null,
  -- Minimum number of respondents as configured; null or 0: default
  -- (scoring-anonymity/src/rules/release.ts).
  score_threshold bigint,
  text_threshold bigint,
  primary key (account_id, id)
);
call isolate_accounts('scoring.survey');

create table scoring.question (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  type text not null,
  -- [{"id": 1, "value": 5, "is_maximum": true, "is_minimum": false}, …]
  answer_options jsonb not null,
  primary key (account_id, id)
);
call isolate_accounts('scoring.question');

-- One row per account with responses. Response writers lock it, so changes become visible in the
-- order of their sequence.
create table scoring.account_state (
  account_id bigint primary key references admin.account,
  -- Incremented by each response that is ingested or corrected: caches load answers after their
  -- last sequence.
  sequence bigint not null default 0,
  -- Numbers assigned so far.
  responses integer not null default 0,
  respondents integer not null default 0,
  choices integer not null default 0,
  -- Rows in scoring.answer.
  answers bigint not null default 0
);
call isolate_accounts('scoring.account_state');

-- Respondents, numbered from 0 without gaps, so that a set of them is a bitmap. Without its row
-- here, a respondent is a number that belongs to no employee (rule DATA-ERASURE-2).
create table scoring.respondent (
  account_id bigint not null references admin.account,
  employee_id bigint not null,
  ordinal integer not null,
  primary key (account_id, employee_id)
);
call isolate_accounts('scoring.respondent');

-- One option or a set of options, numbered from 0. Its value comes from the question when a score
-- is read, so a corrected question changes no answer.
create table scoring.choice (
  account_id bigint not null references admin.account,
  id integer not null,
  -- Sorted and distinct.
  option_ids bigint[] not null,
  -- SHA-256 of the option ids: a large set would not fit an index.
  key bytea not null,
  primary key (account_id, id),
  unique (account_id, key)
);
call isolate_accounts('scoring.choice');

create table scoring.response (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  cycle_id uuid not null,
  -- Microseconds since 1970.
  submitted_us bigint not null,
  respondent integer not null,
  -- The respondent's options at ingestion, never changed (rule TEXTS-FILTER-3).
  option_ids integer[] not null,
  -- Sequence of account_state when this revision was ingested.
  sequence bigint not null,
  primary key (account_id, ordinal),
  unique (account_id, id)
);
create index response_by_sequence on scoring.response (account_id, sequence);
create index response_by_cycle on scoring.response (account_id, cycle_id, sequence);
create index response_by_submission on scoring.response (account_id, cycle_id, submitted_us);
call isolate_accounts('scoring.response');

create table scoring.answer (
  account_id bigint not null,
  question_id bigint not null,
  submitted_us bigint not null,
  response integer not null,
  respondent integer not null,
  choice integer not null,
  primary key (account_id, response, question_id)
);
-- A score can be computed from this index alone.
create index answer_by_question on scoring.answer (account_id, question_id, submitted_us) include (respondent, choice);
call isolate_accounts('scoring.answer');

-- Answers replaced by a correction: caches remove them.
create table scoring.removed_answer (
  account_id bigint not null references admin.account,
  -- Sequence of the correction.
  sequence bigint not null,
  question_id bigint not null,
  -- Sequence of the replaced response: a cache that has not loaded it has nothing to remove.
  added_sequence bigint not null,
  submitted_us bigint not null,
  respondent integer not null,
  choice integer not null,
  primary key (account_id, sequence, question_id)
);
call isolate_accounts('scoring.removed_answer');

create table scoring.cycle (
  account_id bigint not null references admin.account,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  survey_id bigint not null,
  -- Microseconds since 1970; closed_us is null while the cycle is open.
  opened_us bigint not null,
  closed_us bigint,
  primary key (account_id, id)
);
call isolate_accounts('scoring.cycle');

-- Cycles that the disclosure guard releases, with the bounds that they had first. Reopening a cycle
-- changes nothing here.
create table scoring.settled_cycle (
  account_id bigint not null references admin.account,
  id uuid not null,
  survey_id bigint not null,
  opened_us bigint not null,
  closed_us bigint not null,
  -- [[[option id, …], employees], …]: employees assigned to the survey while the cycle was open, by
  -- their options of the filter attribute.
  assigned jsonb not null default '[]',
  -- State from which its blocks were made: highest sequence of a response, and all thresholds.
  judged_sequence bigint not null default -1,
  judged_thresholds text,
  -- Range of the ids of its blocks; null without blocks.
  lowest_block bigint,
  highest_block bigint,
  -- Questions then: with a block; without one, by reason; with a block and withheld late answers.
  released integer not null default 0,
  too_few integer not null default 0,
  dominated integer not null default 0,
  late integer not null default 0,
  primary key (account_id, id)
);
call isolate_accounts('scoring.settled_cycle');

-- Answers to one question in one cycle that the disclosure guard releases together or not at all.
-- Rows are never changed.
create table scoring.block (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  question_id bigint not null,
  cycle_id uuid not null,
  -- Responses with lower ordinals are in this block or an earlier one; later ones form further
  -- blocks.
  next_response integer not null,
  -- Ordinals, distinct.
  respondents integer[] not null,
  size integer not null generated always as (cardinality(respondents)) stored,
  -- [[choice, number of answers], …]
  choices jsonb not null,
  -- [[option id, …], …]: options of the filter attribute that each group of respondents had. Late
  -- answers are one group without options.
  option_groups jsonb not null,
  primary key (account_id, id)
);
create index block_by_cycle on scoring.block (account_id, cycle_id, id);
call isolate_accounts('scoring.block');

create table scoring.deferred_fact (like export.deferred_fact including all);
call isolate_accounts('scoring.deferred_fact');
create table scoring.dead_letter (like imports.dead_letter including all);
call isolate_accounts('scoring.dead_letter');
create table scoring.due (like imports.due including all);

-- What this schema holds about one employee, for that employee.
create function scoring.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object('responses', coalesce((
          select jsonb_agg(jsonb_build_object('id', r.id, 'survey_id', r.survey_id,
            'submitted_at', timestamptz 'epoch' + r.submitted_us * interval '1 microsecond', 'attribute_option_ids', r.option_ids,
            'answers', (
              select coalesce(jsonb_agg(jsonb_build_object('question_id', a.question_id, 'option_ids', c.option_ids) order by a.question_id), '[]')
              from scoring.answer a join scoring.choice c on c.account_id = a.account_id and c.id = a.choice
              where a.account_id = r.account_id and a.response = r.ordinal)) order by r.ordinal)
          from scoring.response r
          where r.account_id = wanted_account and r.respondent = (
            select p.ordinal from scoring.respondent p where p.account_id = wanted_account and p.employee_id = wanted_employee)), '[]'))
      );
    end
  $$;

-- Cycles with expired answers, and since when (rule DATA-RETENTION-2). before_us: those submitted
-- earlier have expired; null: all, because the cycle closed long ago. Steps from cycle to cycle in
-- the index, whatever the number of responses.
create function scoring.expired_cycles(of_account bigint, default_days double precision)
  returns table (cycle_id uuid, before_us bigint, expired_at timestamptz)
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    declare
      kept interval := admin.retention_days(of_account, 'answers', default_days) * interval '1 day';
    begin
      if kept is null then
        return;
      end if;
      return query
      with recursive answered as (
        (select r.cycle_id as id from scoring.response r where r.account_id = of_account order by r.cycle_id limit 1)
        union all
        select (
          select r.cycle_id from scoring.response r
          where r.account_id = of_account and r.cycle_id > a.id order by r.cycle_id limit 1)
        from answered a where a.id is not null
      ), cycle as (
        select a.id, timestamp 'epoch' + c.closed_us * interval '1 microsecond' as closed_at,
          (select timestamp 'epoch' + r.submitted_us * interval '1 microsecond' from scoring.response r
           where r.account_id = of_account and r.cycle_id = a.id order by r.submitted_us limit 1) as first_at
        from answered a
        left join scoring.cycle c on c.account_id = of_account and c.id = a.id
        where a.id is not null
      ), expiring as (
        select c.*, coalesce(c.closed_at, date_trunc('month', c.first_at) + interval '1 month') + kept as expired_at from cycle c
      )
      select e.id,
        case when e.closed_at is null then (extract(epoch from date_trunc('month', now() at time zone 'utc' - kept)) * 1e6)::bigint end,
        e.expired_at at time zone 'utc'
      from expiring e where e.expired_at <= now() at time zone 'utc';
    end
  $$;

-- Accounts with expired answers, and since when.
create function scoring.expired_answers(default_days double precision) returns table (account_id bigint, expired_at timestamptz)
  language plpgsql stable set search_path = ''
  as $$
    declare
      of_account bigint;
    begin
      for of_account in select s.account_id from scoring.account_state s loop
        return query select of_account, e.expired_at from scoring.expired_cycles(of_account, default_days) e;
      end loop;
    end
  $$;

create function scoring.accounts_with_deferred_facts() returns setof bigint
  language sql stable set search_path = ''
  as $$ select distinct f.account_id from scoring.deferred_fact f $$;

create function scoring.accounts_with_guard() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select l.account_id
    from (select distinct on (s.account_id) s.account_id, s.disclosure_guard from admin.settings s order by s.account_id, s.version desc) l
    where l.disclosure_guard = 'strict'
  $$;

grant usage on schema scoring to survey_scoring, survey_admin, survey_definer;

grant select, insert, update on scoring.survey, scoring.question, scoring.account_state, scoring.response to survey_scoring;
grant select, insert, update on scoring.cycle, scoring.settled_cycle to survey_scoring;
grant select, insert on scoring.respondent, scoring.choice, scoring.removed_answer, scoring.block, scoring.dead_letter to survey_scoring;
grant select, insert, delete on scoring.answer to survey_scoring;
grant select, insert, update, delete on scoring.deferred_fact, scoring.due to survey_scoring;
grant select on scoring.deferred_fact, scoring.dead_letter to survey_admin;
grant select on scoring.settled_cycle to survey_admin;
-- The groups of respondents, and how many employees were assigned (docs/rules/guard.md).
grant usage on schema export to survey_scoring;
grant select (account_id, survey_id, employee_id, created_at, deleted_at) on export.assignment to survey_scoring;
grant select on imports.attribute_option to survey_scoring;

grant select on scoring.account_state, scoring.cycle, scoring.deferred_fact, scoring.respondent, scoring.response, scoring.answer, scoring.choice
  to survey_definer;
revoke execute on function scoring.expired_cycles from public;
grant execute on function scoring.expired_cycles to survey_scoring, survey_definer;
call run_as_definer('scoring.expired_answers', 'survey_scoring');
call run_as_definer('scoring.employee_data', 'survey_admin');
call run_as_definer('scoring.accounts_with_deferred_facts', 'survey_scoring');
call run_as_definer('scoring.accounts_with_guard', 'survey_scoring');

call allow_account_deletion('scoring', 'survey_scoring');
revoke delete on scoring.deleted_rows from survey_scoring;
