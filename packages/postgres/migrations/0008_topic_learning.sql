-- Up Migration

-- Names by which answers match topics, and when all answers of an account are categorised again.

-- Names that match the topic in answers in addition to its keywords: the original name and those of
-- merged topics. Null: its name. A new name alone matches nothing, because a rename changes no
-- assignment (rule TEXTS-TOPICS-2).
alter table text.topic add column match_names text[];

-- The language in which an account's first topics are named.
grant select on admin.integration to survey_text;

-- Number of account admins' decisions about topics of answers.
alter table text.account_state add column decisions bigint not null default 0;

-- Topic models trained from account admins' decisions. The last three are kept.
create table text.learner (
  account_id bigint not null references admin.account,
  version integer not null check (version > 0),
  trained_at timestamptz not null default now(),
  model bytea not null,
  examples integer not null,
  -- F1 on decisions excluded from training: by keywords only, and by the trained model.
  keywords_f1 real not null,
  learned_f1 real not null,
  primary key (account_id, version)
);
alter table text.learner alter column model set storage external;
call isolate_accounts('text.learner');

create table text.learning (
  account_id bigint primary key references admin.account,
  -- The active topic model; null: keywords only.
  active_version integer,
  last_version integer not null default 0,
  -- Number of decisions when the model was last trained or rolled back: it is trained again after
  -- enough new ones.
  decisions bigint not null default 0,
  foreign key (account_id, active_version) references text.learner (account_id, version)
);
call isolate_accounts('text.learning');

-- Basis of a stage's plan: the models, the account's settings, and for topics the account's
-- taxonomy and topic model.
create function text.plan_basis(wanted_account bigint, wanted_stage text, models text) returns text
  language sql stable
  as $$
    select concat_ws(' ', models,
      coalesce((select v.version from admin.settings v where v.account_id = wanted_account order by v.version desc limit 1), 0),
      (select concat_ws(' ', s.taxonomy_version, l.active_version)
       from text.account_state s left join text.learning l on l.account_id = s.account_id
       where s.account_id = wanted_account and wanted_stage = 'categorise'))
  $$;
revoke execute on function text.plan_basis from public;
grant execute on function text.plan_basis to survey_text;

-- Includes accounts that have only settings: categorisation creates their first topics.
create or replace function text.accounts_to_plan(wanted_stage text, wanted_basis text) returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select a.account_id
    from (select account_id from text.account_state union select account_id from admin.settings) a
    left join text.account_state s on s.account_id = a.account_id
    left join text.stage_plan p on p.account_id = a.account_id and p.stage = wanted_stage
    where p.account_id is null
      or p.version is not null and p.enqueued_below < s.answers
      or p.basis <> text.plan_basis(a.account_id, wanted_stage, wanted_basis)
  $$;

-- Pending answers per stage and the age of the oldest that no worker has, in seconds: for metrics.
create function text.stage_backlog() returns table (stage text, waiting bigint, lag_seconds float8)
  language sql stable security definer set search_path = ''
  as $$
    select g.stage, count(p.answer), coalesce(extract(epoch from now() - min(p.due_at) filter (where p.due_at <= now()))::float8, 0)
    from unnest(array['mask', 'categorise', 'sentiment']) g (stage)
    left join text.pending p on p.stage = g.stage
    group by g.stage
  $$;
revoke execute on function text.stage_backlog from public;
grant execute on function text.stage_backlog to survey_text;

grant select, insert, update, delete on text.learner, text.learning to survey_text;

create policy sweep on text.learning for select to current_user using (true);
create function text.accounts_to_teach(least_decisions bigint) returns setof bigint
  language sql stable security definer set search_path = ''
  as $$
    select s.account_id from text.account_state s
    left join text.learning l on l.account_id = s.account_id
    where s.decisions >= least_decisions + coalesce(l.decisions, 0)
  $$;
revoke execute on function text.accounts_to_teach from public;
grant execute on function text.accounts_to_teach to survey_text;

-- Categorises topics and sentiment with the operator's external models, which receive masked texts
-- only.
alter table admin.settings add column external_text_models boolean not null default false;
