-- Up Migration

-- An analyzer outside of the service may look for personal information too, where text-analysis has
-- one: it sees texts as they were written.
alter table admin.settings add column external_masker boolean not null default false;
