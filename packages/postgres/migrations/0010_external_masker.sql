-- Up Migration

-- Lets the external masker of text-analysis, if configured, look for personal data too: it receives
-- the original texts.
alter table admin.settings add column external_masker boolean not null default false;
