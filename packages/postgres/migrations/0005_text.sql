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
  respondents integer not null default 0,
  cycles integer not null default 0,
  option_sets integer not null default 0,
  topics integer not null default 0,
  -- Incremented by each topic change that may change assignments: names, descriptions, keywords.
  taxonomy_version integer not null default 0,
  -- Key of the answers' sort order (rule TEXTS-ORDER-1): never changed, or the pages of closed
  -- cycles would shift.
  order_key bytea not null check (length(order_key) = 32),
  -- Account admins' decisions about topics of answers.
  decisions bigint not null default 0,
  blocks integer not null default 0,
  -- Cycles of answers up to this sequence have been judged by the disclosure guard, or are marked.
  judged_sequence bigint not null default 0
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

-- Respondents, numbered from 0 without gaps. Without its row here, a respondent is a number that
-- belongs to no employee (rule DATA-ERASURE-2).
create table text.respondent (
  account_id bigint not null references admin.account,
  employee_id bigint not null,
  ordinal integer not null,
  primary key (account_id, employee_id)
);
call isolate_accounts('text.respondent');

-- Cycles as responses name them, with their survey; numbered from 0.
create table text.cycle (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  cycle_id uuid not null,
  survey_id bigint not null,
  -- Thresholds by which the disclosure guard has judged all of its answers; null: new answers.
  judged_thresholds text,
  -- Questions then with texts and without a block.
  withheld integer not null default 0,
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
  respondent integer not null,
  -- The respondent's options at ingestion, never changed (rule TEXTS-FILTER-3).
  option_set integer not null,
  -- The respondent's language at ingestion, else the account's; null without both.
  language text,
  -- From another system: never masked.
  imported boolean not null,
  -- First day of the month of submission, in UTC: enough for retention.
  submitted_month date not null,
  primary key (account_id, id)
);
create index response_by_cycle on text.response (account_id, cycle, submitted_month);
call isolate_accounts('text.response');

create table text.answer (
  account_id bigint not null,
  -- From 0 without gaps.
  id integer not null,
  response_id uuid not null,
  question_id bigint not null,
  -- A keyed hash of response and question, which reveals neither time nor author (rule
  -- TEXTS-ORDER-1).
  sort_key bigint not null,
  -- Null when a correction removed it: decisions about it stay, in case it returns.
  content text,
  -- Incremented by each change of the content: results for another version are invalid.
  content_version integer not null default 1,
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
  content text not null,
  -- Sequence of account_state at the time of masking.
  sequence bigint not null,
  primary key (account_id, answer),
  foreign key (account_id, answer) references text.answer
);
create index masked_text_by_sequence on text.masked_text (account_id, sequence);
call isolate_accounts('text.masked_text');

-- Answers to one question in one cycle that the disclosure guard releases together or not at all;
-- numbered from 0.
create table text.block (
  account_id bigint not null references admin.account,
  ordinal integer not null,
  cycle integer not null,
  question_id bigint not null,
  -- [[option id, …], …]: options of the filter attribute that each group of respondents had. Late
  -- answers are one group without options.
  option_groups jsonb not null,
  primary key (account_id, ordinal)
);
create index text_block_by_cycle on text.block (account_id, cycle);
call isolate_accounts('text.block');

-- The block of an answer. Deleted with the answer, and when its text changes.
create table text.block_answer (
  account_id bigint not null,
  answer integer not null,
  block integer not null,
  -- Sequence of account_state when the block was made.
  sequence bigint not null,
  primary key (account_id, answer),
  foreign key (account_id, answer) references text.answer on delete cascade
);
create index block_answer_by_sequence on text.block_answer (account_id, sequence);
call isolate_accounts('text.block_answer');

create table text.topic (
  account_id bigint not null references admin.account,
  id integer not null,
  name text not null,
  -- The name for comparison: without case, otherwise unchanged (rule TEXTS-TOPICS-3).
  name_key text collate "C" not null,
  description text,
  -- {"en": ["pay", …], …}
  keywords jsonb not null default '{}',
  -- Names that match the topic in answers in addition to its keywords: the original name and those
  -- of merged topics. Null: its name. A new name alone matches nothing, because a rename changes no
  -- assignment (rule TEXTS-TOPICS-2).
  match_names text[],
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

-- Topic models trained from account admins' decisions. The last three are kept.
create table text.topic_model (
  account_id bigint not null references admin.account,
  version integer not null check (version > 0),
  trained_at timestamptz not null default now(),
  model bytea not null,
  examples integer not null,
  -- F1 on decisions excluded from training: by keywords only, and by the trained model.
  keywords_f1 real not null,
  model_f1 real not null,
  primary key (account_id, version)
);
alter table text.topic_model alter column model set storage external;
call isolate_accounts('text.topic_model');

create table text.topic_model_state (
  account_id bigint primary key references admin.account,
  -- The active topic model; null: keywords only.
  active_version integer,
  last_version integer not null default 0,
  -- Number of decisions when the model was last trained or rolled back: it is trained again after
  -- enough new ones.
  decisions bigint not null default 0,
  foreign key (account_id, active_version) references text.topic_model (account_id, version)
);
call isolate_accounts('text.topic_model_state');

-- What each stage has done about the answers of an account. New answers are queued for each stage
-- whose version is not null; after a change of settings or models, all answers are queued again.
create table text.backfill (
  account_id bigint not null references admin.account,
  stage text not null check (stage in ('mask', 'categorise', 'sentiment')),
  -- Version of the wanted result, such as the masking policy; null when the stage is off.
  version text,
  -- Inputs of the version: when they change, the backfill starts again.
  basis text not null,
  -- Answers below this id have been queued if needed.
  enqueued_below integer not null default 0,
  primary key (account_id, stage)
);
call isolate_accounts('text.backfill');

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
create index pending_dispatched on text.pending (account_id, stage, due_at) where dispatched;
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

create table text.deferred_fact (like export.deferred_fact including all);
call isolate_accounts('text.deferred_fact');
create table text.dead_letter (like imports.dead_letter including all);
call isolate_accounts('text.dead_letter');

create table text.outbox (like admin.outbox including all);
call isolate_outbox('text.outbox', 'survey_text');
create table text.event_sequence (like admin.event_sequence including all);
call isolate_accounts('text.event_sequence');
create table text.due (like imports.due including all);

-- Basis of a stage's backfill: the models, the account's settings, and for topics the account's
-- taxonomy and topic model.
create function text.backfill_basis(wanted_account bigint, wanted_stage text, models text) returns text
  language plpgsql stable
  as $$
    #variable_conflict use_column
    begin
      return (
        select concat_ws(' ', models,
          coalesce((select v.version from admin.settings v where v.account_id = wanted_account order by v.version desc limit 1), 0),
          (select concat_ws(' ', s.taxonomy_version, m.active_version)
           from text.account_state s left join text.topic_model_state m on m.account_id = s.account_id
           where s.account_id = wanted_account and wanted_stage = 'categorise'))
      );
    end
  $$;
revoke execute on function text.backfill_basis from public;

-- What this schema holds about one employee, for that employee.
create function text.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object('responses', coalesce((
          select jsonb_agg(jsonb_build_object('id', r.id, 'survey_id', c.survey_id, 'cycle_id', c.cycle_id, 'imported', r.imported,
            'attribute_option_ids', s.option_ids,
            'answers', (
              select coalesce(jsonb_agg(jsonb_build_object('question_id', a.question_id, 'text', a.content, 'masked_text', m.content,
                'topics', (
                  select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'sentiment', x.sentiment) order by t.id), '[]')
                  from text.topic_assignment x join text.topic t on t.account_id = x.account_id and t.id = x.topic_id
                  where x.account_id = a.account_id and x.answer = a.id and x.removed_at is null)) order by a.question_id), '[]')
              from text.answer a left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
              where a.account_id = r.account_id and a.response_id = r.id and a.content is not null)) order by r.id)
          from text.response r
          join text.cycle c on c.account_id = r.account_id and c.ordinal = r.cycle
          join text.option_set s on s.account_id = r.account_id and s.ordinal = r.option_set
          where r.account_id = wanted_account and r.respondent = (
            select p.ordinal from text.respondent p where p.account_id = wanted_account and p.employee_id = wanted_employee)), '[]'))
      );
    end
  $$;

-- The functions below look across accounts and return their ids only.

-- Cycles with expired texts, and since when (rule DATA-RETENTION-2). before_month: those submitted
-- earlier have expired; null: all, because the cycle closed long ago.
create function text.expired_cycles(of_account bigint, default_days double precision)
  returns table (cycle integer, before_month date, expired_at timestamptz)
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
      select c.ordinal, case when f.closed_us is null then date_trunc('month', now() at time zone 'utc' - kept)::date end,
        e.expired_at at time zone 'utc'
      from text.cycle c
      left join scoring.cycle f on f.account_id = c.account_id and f.id = c.cycle_id
      cross join lateral (
        select r.submitted_month from text.response r
        where r.account_id = c.account_id and r.cycle = c.ordinal order by r.submitted_month limit 1) oldest
      cross join lateral (
        select coalesce(timestamp 'epoch' + f.closed_us * interval '1 microsecond', oldest.submitted_month + interval '1 month') + kept
          as expired_at) e
      where c.account_id = of_account and e.expired_at <= now() at time zone 'utc';
    end
  $$;

-- Accounts with expired texts, and since when.
create function text.expired_texts(default_days double precision) returns table (account_id bigint, expired_at timestamptz)
  language plpgsql stable set search_path = ''
  as $$
    declare
      of_account bigint;
    begin
      for of_account in select s.account_id from text.account_state s loop
        return query select of_account, e.expired_at from text.expired_cycles(of_account, default_days) e;
      end loop;
    end
  $$;

create function text.accounts_with_deferred_facts() returns setof bigint
  language sql stable set search_path = ''
  as $$ select distinct f.account_id from text.deferred_fact f where f.kind = 'response' $$;

-- Steps from account to account in the index, whatever the number of pending answers.
create function text.accounts_with_pending() returns setof bigint
  language sql stable set search_path = ''
  as $$
    select s.account_id from text.account_state s
    where (select true from text.pending p where p.account_id = s.account_id limit 1)
  $$;

-- Accounts whose settings have changed since their backfill, or whose backfill has another basis or
-- is not finished. Includes accounts that have only settings: categorisation creates their first
-- topics.
create function text.accounts_to_backfill(wanted_stage text, models text) returns setof bigint
  language plpgsql stable set search_path = ''
  as $$
    begin
      return query
      with state as materialized (
        select s.account_id, s.answers, concat_ws(' ', s.taxonomy_version, m.active_version) as topics
        from text.account_state s left join text.topic_model_state m on m.account_id = s.account_id
      ), backfill as materialized (
        select b.account_id, b.version, b.basis, b.enqueued_below from text.backfill b where b.stage = wanted_stage
      )
      select a.account_id
      from admin.account a
      left join lateral (
        select v.version from admin.settings v where v.account_id = a.account_id order by v.version desc limit 1) v on true
      left join state s on s.account_id = a.account_id
      left join backfill b on b.account_id = a.account_id
      where a.closed_at is null and (s.account_id is not null or v.version is not null)
        and (b.account_id is null
          or b.version is not null and b.enqueued_below < s.answers
          or b.basis <> concat_ws(' ', models, coalesce(v.version, 0), case when wanted_stage = 'categorise' then s.topics end));
    end
  $$;

create function text.accounts_to_train(min_decisions bigint) returns setof bigint
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return query select s.account_id from text.account_state s
      left join text.topic_model_state m on m.account_id = s.account_id
      where s.decisions >= min_decisions + coalesce(m.decisions, 0);
    end
  $$;

-- Pending answers per stage and the age of the oldest that no worker has, in seconds: for metrics.
create function text.stage_backlog() returns table (stage text, pending bigint, lag_seconds float8)
  language sql stable set search_path = ''
  as $$
    select g.stage, count(p.answer), coalesce(extract(epoch from now() - min(p.due_at) filter (where p.due_at <= now()))::float8, 0)
    from unnest(array['mask', 'categorise', 'sentiment']) g (stage)
    left join text.pending p on p.stage = g.stage
    group by g.stage
  $$;

grant usage on schema text to survey_text, survey_admin, survey_definer;

grant select, insert, update on text.account_state, text.question, text.response, text.answer, text.topic_alias, text.topic_model_state,
  text.backfill, text.event_sequence to survey_text;
grant select, insert on text.respondent, text.cycle, text.option_set, text.block, text.dead_letter to survey_text;
grant update on text.cycle to survey_text;
grant select, insert, delete on text.block_answer to survey_text;
-- Texts are judged with the cycles that scores are made of.
grant usage on schema scoring to survey_text;
grant select on scoring.settled_cycle, scoring.cycle to survey_text;
grant execute on function scoring.accounts_with_guard to survey_text;
grant select, insert, delete on text.topic_model to survey_text;
grant select, insert, update, delete on text.masked_text, text.topic, text.topic_assignment, text.pending, text.given_up,
  text.deferred_fact, text.due to survey_text;
grant select on text.deferred_fact, text.dead_letter to survey_admin;
grant select on text.cycle, text.block to survey_admin;
grant execute on function text.backfill_basis to survey_text, survey_definer;

grant select on text.account_state, text.backfill, text.pending, text.topic_model_state, text.deferred_fact to survey_definer;
grant select on text.respondent, text.response, text.cycle, text.option_set, text.answer, text.masked_text, text.topic, text.topic_assignment
  to survey_definer;
grant select on scoring.cycle to survey_definer;
call run_as_definer('text.employee_data', 'survey_admin');
revoke execute on function text.expired_cycles from public;
grant execute on function text.expired_cycles to survey_text, survey_definer;
call run_as_definer('text.expired_texts', 'survey_text');
call run_as_definer('text.accounts_with_deferred_facts', 'survey_text');
call run_as_definer('text.accounts_with_pending', 'survey_text');
call run_as_definer('text.accounts_to_backfill', 'survey_text');
call run_as_definer('text.accounts_to_train', 'survey_text');
call run_as_definer('text.stage_backlog', 'survey_text');

call allow_account_deletion('text', 'survey_text');
revoke delete on text.deleted_rows from survey_text;
