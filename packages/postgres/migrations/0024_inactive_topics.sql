-- Up Migration

alter table text.topic
  -- An inactive topic is neither found nor shown; what was decided about it stays (rule
  -- TEXTS-TOPICS-5).
  add column is_active boolean not null default true;
