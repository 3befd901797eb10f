-- Up Migration

-- Ids of the account admins whose copy of a summary the mail server has accepted.
alter table imports.mail add column sent_to bigint[] not null default '{}';
