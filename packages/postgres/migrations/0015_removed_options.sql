-- Up Migration

-- Answers to an option that was removed from its question still count (rule SCORES-EDITS-1).

alter table scoring.question
  -- Options that only earlier revisions have, as the last of them had them, with the revision and the
  -- digest of that one.
  add column removed_options jsonb not null default '[]';
