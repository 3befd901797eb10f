-- Up Migration

-- Answers to an option that was removed from its question still count (rule SCORES-EDITS-1).

alter table scoring.question
  -- Options that only earlier revisions have, as the last of them had them, with the revision and the
  -- digest of that one.
  add column removed_options jsonb not null default '[]';

alter table scoring.question
  -- Changes whenever an answer can change its value.
  add column scale_digest text generated always as (md5(type || answer_options::text || removed_options::text)) stored;
