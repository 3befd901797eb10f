-- Up Migration

-- Free-text answers, the results of masking and categorisation, and the sort order of answers.

create schema text;

-- One row per account with texts. Writers of answers and results lock it, so changes become visible
-- in the order of their sequence.
create table text.account_state (
  account_id bigint primary key references admin.account,
  -- Incremented by each change of what is shown or of its order: caches load answers after their
  -- last sequence.
  sequence bigint not null default 0,
  -- Numbers assigned so far.
  answers integer not null default 0,
  people integer not null default 0,
  cycles integer not null default 0,
  option_sets integer not null default 0,
  topics integer not null default 0,
  -- Incremented by each topic change that may change assignments: names, descriptions, keywords.
  taxonomy_version integer not null default 0,
  -- Key of the answers' sort order (rule TEXTS-ORDER-1): never changed, or the pages of closed
  -- cycles would shift.
  order_key bytea not null check (length(order_key) = 32)
);
call isolate_accounts('text.account_state');

create table text.question (
  account_id bigint not null references admin.account,
  id bigint not null,
  revision bigint not null,
  -- SHA-256 of the fact's bytes.
  digest bytea not null,
  survey_id bigint not null,
  type text not null,
  -- By language: sentiment needs the question's text.
  name jsonb not null,
  primary key (account_id, id)
);
call isolate_accounts('text.question');

-- Respondents, numbered from 0 without gaps.
create table text.person (
  account_id bigint not null references admin.account,
  employee_id bigint not null,
  ordinal integer not null,
  primary key (account_id, employee_id)
);
call isolate_accounts('text.person');

-- Cycles as responses name them, with their survey; numbered from 0.
create table text.cycle (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  cycle_id uuid not null,
  survey_id bigint not null,
  primary key (account_id, ordinal),
  unique (account_id, cycle_id, survey_id)
);
call isolate_accounts('text.cycle');

-- Sets of attribute options of respondents; numbered from 0.
create table text.option_set (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  -- Sorted and distinct.
  option_ids integer[] not null,
  -- SHA-256 of the option ids: a large set would not fit an index.
  key bytea not null,
  primary key (account_id, ordinal),
  unique (account_id, key)
);
call isolate_accounts('text.option_set');

-- Includes responses without text: a late older revision must not restore one.
create table text.response (
  account_id bigint not null references admin.account,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  cycle integer not null,
  person integer not null,
  -- The respondent's options at ingestion, never changed (rule TEXTS-FILTER-3); null while the
  -- employee is unknown.
  option_set integer,
  -- From another system: never masked.
  imported boolean not null,
  ingested_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index response_without_options on text.response (ingested_at) where option_set is null;
call isolate_accounts('text.response');

create table text.answer (
  account_id bigint not null,
  -- From 0 without gaps.
  id integer not null,
  response_id uuid not null,
  question_id bigint not null,
  -- Sort key: a keyed hash of response and question, which reveals neither time nor author (rule
  -- TEXTS-ORDER-1).
  place bigint not null,
  -- Null when a correction removed it: decisions about it stay, in case it returns.
  text text,
  -- Incremented by each change of the text: results for another version are invalid.
  text_version integer not null default 1,
  -- Sequence of account_state at the last change of the answer or its response.
  sequence bigint not null,
  primary key (account_id, id),
  unique (account_id, response_id, question_id),
  foreign key (account_id, response_id) references text.response
);
create index answer_by_sequence on text.answer (account_id, sequence);
call isolate_accounts('text.answer');

-- A masked answer. Without a row for the current policy, an answer is neither shown nor counted.
create table text.masked_text (
  account_id bigint not null,
  answer integer not null,
  -- Hash of the categories and the masker's version.
  policy bigint not null,
  text text not null,
  -- Sequence of account_state at the time of masking.
  sequence bigint not null,
  primary key (account_id, answer),
  foreign key (account_id, answer) references text.answer
);
create index masked_text_by_sequence on text.masked_text (account_id, sequence);
call isolate_accounts('text.masked_text');

create table text.topic (
  account_id bigint not null references admin.account,
  id integer not null,
  name text not null,
  -- The name for comparison: without case, otherwise unchanged (rule TEXTS-TOPICS-3).
  name_key text collate "C" not null,
  description text,
  -- {"en": ["pay", …], …}
  keywords jsonb not null default '{}',
  -- Incremented by each change except of the name.
  version integer not null default 1,
  primary key (account_id, id),
  unique (account_id, name_key)
);
call isolate_accounts('text.topic');

-- Names by which facts refer to topics: after a rename or merge, facts still find the topic by its
-- original name.
create table text.topic_alias (
  account_id bigint not null,
  name_key text collate "C" not null,
  topic_id integer not null,
  -- Revision of the newest fact.
  revision bigint not null,
  digest bytea not null,
  primary key (account_id, name_key),
  foreign key (account_id, topic_id) references text.topic
);
call isolate_accounts('text.topic_alias');

create table text.topic_assignment (
  account_id bigint not null,
  answer integer not null,
  topic_id integer not null,
  -- An account admin's decision always overrides an automatic one.
  origin text not null check (origin in ('auto', 'admin')),
  -- The categoriser's confidence and version; null when an account admin decided.
  score real,
  model_version text,
  -- Null when not scored.
  sentiment text check (sentiment in ('positive', 'neutral', 'negative')),
  sentiment_version text,
  -- No longer shown. An account admin's removal is permanent: no job undoes it.
  removed_at timestamptz,
  -- Revision of the deciding fact, if any.
  revision bigint,
  digest bytea,
  primary key (account_id, answer, topic_id),
  foreign key (account_id, answer) references text.answer,
  foreign key (account_id, topic_id) references text.topic
);
create index topic_assignment_by_topic on text.topic_assignment (account_id, topic_id);
create index topic_assignment_decided on text.topic_assignment (account_id, answer) where origin = 'admin';
call isolate_accounts('text.topic_assignment');

-- Stages, applied to all answers of an account in order. New answers are queued for each stage
-- whose version is not null.
create table text.stage_plan (
  account_id bigint not null references admin.account,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  -- Version of the wanted result, such as the masking policy; null when the stage is off.
  version text,
  -- Inputs of the version: when they change, the plan is recreated.
  basis text not null,
  -- Answers below this id have been queued if needed.
  enqueued_below integer not null default 0,
  primary key (account_id, stage)
);
call isolate_accounts('text.stage_plan');

-- Pending answers of a stage. Messages in JOBS only wake workers: lost work becomes due again.
create table text.pending (
  account_id bigint not null,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  answer integer not null,
  -- Attempts started.
  attempts smallint not null default 0,
  -- Earliest time to dispatch it (again).
  due_at timestamptz not null default now(),
  -- Dispatched to a worker until it is due again.
  dispatched boolean not null default false,
  primary key (account_id, stage, answer),
  foreign key (account_id, answer) references text.answer
);
create index pending_by_due on text.pending (account_id, stage, due_at);
create index pending_handed_out on text.pending (account_id, stage, due_at) where dispatched;
call isolate_accounts('text.pending');

-- Answers that a stage gave up, with the reason, never with their text.
create table text.given_up (
  account_id bigint not null,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  answer integer not null,
  reason text not null,
  given_up_at timestamptz not null default now(),
  primary key (account_id, stage, answer),
  foreign key (account_id, answer) references text.answer
);
call isolate_accounts('text.given_up');

-- Kind response waits for an employee, `employee <id>` or `import_id <import_id>`; kind
-- topic_assignment waits for a response or a topic.
create table text.deferred_fact (like export.deferred_fact including all);
alter table text.deferred_fact rename column employee_import_id to waits_for;
call isolate_accounts('text.deferred_fact');
create table text.dead_letter (like export.dead_letter including all);
call isolate_accounts('text.dead_letter');

create table text.outbox (like imports.outbox including defaults including identity including constraints including indexes including storage);
create table text.event_sequence (like imports.event_sequence including all);
call isolate_accounts('text.event_sequence');

-- For the sweeper, across accounts and by id only: deferred facts whose employee may exist now,
create policy sweep on text.deferred_fact for select to current_user using (true);
create function text.accounts_with_deferred_facts() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$ select distinct w.account_id from text.deferred_fact w where w.kind = 'response' $$;
revoke execute on function text.accounts_with_deferred_facts from public;

-- responses whose employee was unknown half an hour ago,
create policy sweep on text.response for select to current_user using (true);
create function text.accounts_without_options() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select distinct r.account_id from text.response r
    where r.option_set is null and r.ingested_at > now() - interval '30 minutes'
  $$;
revoke execute on function text.accounts_without_options from public;

-- pending answers of a stage: from account to account in the index, whatever their number,
create policy sweep on text.pending for select to current_user using (true);
create function text.accounts_with_pending() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    with recursive waiting (account_id) as (
      (select p.account_id from text.pending p order by p.account_id limit 1)
      union all
      select (select p.account_id from text.pending p where p.account_id > w.account_id order by p.account_id limit 1)
      from waiting w where w.account_id is not null
    )
    select w.account_id from waiting w where w.account_id is not null
  $$;
revoke execute on function text.accounts_with_pending from public;

-- and accounts whose settings have changed since their plan, or whose plan has another basis or is
-- not finished.
create policy sweep on text.account_state for select to current_user using (true);
create policy sweep on text.stage_plan for select to current_user using (true);
create policy sweep on admin.settings for select to current_user using (true);
create function text.accounts_to_plan(wanted_stage text, wanted_basis text) returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select s.account_id
    from text.account_state s
    left join text.stage_plan p on p.account_id = s.account_id and p.stage = wanted_stage
    where p.account_id is null
      or p.version is not null and p.enqueued_below < s.answers
      or p.basis <> wanted_basis || ' ' || coalesce(
        (select v.version from admin.settings v where v.account_id = s.account_id order by v.version desc limit 1), 0)
  $$;
revoke execute on function text.accounts_to_plan from public;

grant usage on schema text to survey_text, survey_admin;
grant execute on function text.accounts_with_deferred_facts, text.accounts_without_options, text.accounts_with_pending, text.accounts_to_plan
  to survey_text;
grant select, insert, update on text.account_state, text.question, text.response, text.answer, text.stage_plan, text.event_sequence to survey_text;
grant select, insert on text.person, text.cycle, text.option_set to survey_text;
grant select, insert, update, delete on text.masked_text, text.topic, text.topic_alias, text.topic_assignment, text.pending, text.given_up,
  text.deferred_fact, text.dead_letter, text.outbox to survey_text;
grant select (account_id, kind, employee_id, employee_import_id) on imports.deferred_fact to survey_text;
grant select on text.deferred_fact, text.dead_letter to survey_admin;
-- Identity and options of employees, and the names that masking must find, including offboarded
-- employees.
grant select (account_id, id, import_id, created_via, option_ids, firstname, lastname, email) on imports.employee to survey_text;
