-- Up Migration

-- Free-text answers, what masking and categorisation make of them, and in which order they are
-- shown.

create schema text;

-- One row for each account with texts. Its lock is held by whoever writes answers or what was made
-- of them, so changes become visible in the order of their sequence.
create table text.account_state (
  account_id bigint primary key references admin.account,
  -- Grows with every change of what may be shown, or where: whoever holds answers in memory asks
  -- for those since.
  sequence bigint not null default 0,
  -- How many of each have been numbered.
  answers integer not null default 0,
  people integer not null default 0,
  cycles integer not null default 0,
  option_sets integer not null default 0,
  topics integer not null default 0,
  -- Grows with every change of a topic that may change assignments: names, descriptions, keywords.
  taxonomy_version integer not null default 0,
  -- Key of the order in which answers are shown (rule TEXTS-ORDER-1): never changed, or the pages
  -- of closed cycles would shift.
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
  -- By language: what sentiment needs to know was asked.
  name jsonb not null,
  primary key (account_id, id)
);
call isolate_accounts('text.question');

-- People who have answered, numbered from 0 without gaps.
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

-- Sets of attribute options that somebody had; numbered from 0.
create table text.option_set (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  -- Sorted, each once.
  option_ids integer[] not null,
  -- SHA-256 of the option ids: a set of many would not fit an index.
  key bytea not null,
  primary key (account_id, ordinal),
  unique (account_id, key)
);
call isolate_accounts('text.option_set');

-- Also those without any text: an older revision that comes late must not bring one back.
create table text.response (
  account_id bigint not null references admin.account,
  id uuid not null,
  revision bigint not null,
  digest bytea not null,
  cycle integer not null,
  person integer not null,
  -- The person's when the answer was taken in, and never changed (rule TEXTS-FILTER-3); null while
  -- the employee is not known.
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
  -- Where it stands among the others: a keyed hash of response and question, which tells neither a
  -- time nor an author (rule TEXTS-ORDER-1).
  place bigint not null,
  -- Null when a correction took it away: what was decided about it stays, should it come back.
  text text,
  -- Grows with every change of the text: what was made of another version is worth nothing.
  text_version integer not null default 1,
  -- Of account_state, when the answer or its response changed last.
  sequence bigint not null,
  primary key (account_id, id),
  unique (account_id, response_id, question_id),
  foreign key (account_id, response_id) references text.response
);
create index answer_by_sequence on text.answer (account_id, sequence);
call isolate_accounts('text.answer');

-- An answer as masking left it. Without a row for the policy that counts now, it is neither shown
-- nor counted.
create table text.masked_text (
  account_id bigint not null,
  answer integer not null,
  -- Hash of the categories and the masker's version.
  policy bigint not null,
  text text not null,
  -- Of account_state, when it was masked.
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
  -- The name as it is compared: without case and nothing else (rule TEXTS-TOPICS-3).
  name_key text collate "C" not null,
  description text,
  -- {"en": ["pay", …], …}
  keywords jsonb not null default '{}',
  -- Grows with every change but that of the name.
  version integer not null default 1,
  primary key (account_id, id),
  unique (account_id, name_key)
);
call isolate_accounts('text.topic');

-- The names by which facts know topics: a topic that was renamed or merged here is still meant by
-- the name that it was stated under.
create table text.topic_alias (
  account_id bigint not null,
  name_key text collate "C" not null,
  topic_id integer not null,
  -- Of the newest fact.
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
  -- What an administrator decided wins over what was found automatically, for ever.
  origin text not null check (origin in ('auto', 'admin')),
  -- How sure the categoriser was, and which one it was; null when an administrator decided.
  score real,
  model_version text,
  -- Null when not scored.
  sentiment text check (sentiment in ('positive', 'neutral', 'negative')),
  sentiment_version text,
  -- Not shown any more. An administrator's removal is kept for ever: no job undoes it.
  removed_at timestamptz,
  -- Of the fact that decided it, if any.
  revision bigint,
  digest bytea,
  primary key (account_id, answer, topic_id),
  foreign key (account_id, answer) references text.answer,
  foreign key (account_id, topic_id) references text.topic
);
create index topic_assignment_by_topic on text.topic_assignment (account_id, topic_id);
create index topic_assignment_decided on text.topic_assignment (account_id, answer) where origin = 'admin';
call isolate_accounts('text.topic_assignment');

-- What is done with all answers of an account, one after the other. Answers that come are queued
-- for each stage whose version is not null.
create table text.stage_plan (
  account_id bigint not null references admin.account,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  -- Of the result that is wanted, such as the policy of masking; null when the stage is off.
  version text,
  -- What the version was made from: when that has changed, the plan is made anew.
  basis text not null,
  -- Answers below this id have been queued, if they needed it.
  enqueued_below integer not null default 0,
  primary key (account_id, stage)
);
call isolate_accounts('text.stage_plan');

-- Answers that a stage has yet to work on. Messages in JOBS only wake workers: what they lose
-- becomes due again.
create table text.pending (
  account_id bigint not null,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  answer integer not null,
  -- Begun so far.
  attempts smallint not null default 0,
  -- When it may be handed to a worker (again).
  due_at timestamptz not null default now(),
  -- Handed to a worker, until it is due again.
  dispatched boolean not null default false,
  primary key (account_id, stage, answer),
  foreign key (account_id, answer) references text.answer
);
create index pending_by_due on text.pending (account_id, stage, due_at);
create index pending_handed_out on text.pending (account_id, stage, due_at) where dispatched;
call isolate_accounts('text.pending');

-- Answers that a stage gave up, and why: never what they say.
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

-- kind response waits for an employee, `employee <id>` or `import_id <import_id>`; kind
-- topic_assignment for a response or a topic.
create table text.deferred_fact (like export.deferred_fact including all);
alter table text.deferred_fact rename column employee_import_id to waits_for;
call isolate_accounts('text.deferred_fact');
create table text.dead_letter (like export.dead_letter including all);
call isolate_accounts('text.dead_letter');

create table text.outbox (like imports.outbox including defaults including identity including constraints including indexes including storage);
create table text.event_sequence (like imports.event_sequence including all);
call isolate_accounts('text.event_sequence');

-- Where somebody has to look, across accounts, by id only: whether an employee has come,
create policy sweep on text.deferred_fact for select to current_user using (true);
create function text.accounts_with_deferred_facts() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$ select distinct w.account_id from text.deferred_fact w where w.kind = 'response' $$;
revoke execute on function text.accounts_with_deferred_facts from public;

-- who somebody is who was not known as an employee half an hour ago,
create policy sweep on text.response for select to current_user using (true);
create function text.accounts_without_options() returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select distinct r.account_id from text.response r
    where r.option_set is null and r.ingested_at > now() - interval '30 minutes'
  $$;
revoke execute on function text.accounts_without_options from public;

-- which answers wait for a stage: from account to account in the index, however many wait in each,
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

-- and whose settings have changed since they were planned, or whose plan was made for something
-- else or is not done.
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
-- Who somebody is, what options they have, and what masking must find: offboarded employees too.
grant select (account_id, id, import_id, created_via, option_ids, firstname, lastname, email) on imports.employee to survey_text;
