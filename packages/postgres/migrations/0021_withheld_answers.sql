-- Up Migration

-- An account admin can withhold one answer, and hide further words in all answers (rules
-- TEXTS-WITHHELD-1 and TEXTS-WITHHELD-2).

alter table text.answer
  -- Its respondent still counts.
  add column is_withheld boolean not null default false;

alter table admin.settings
  -- Words that are hidden in every text on release.
  add column masking_denied_words text[] not null default '{}';
