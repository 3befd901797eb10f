-- Up Migration

-- The ids of the admins whose copy of a summary the mail server has taken: each gets a mail of their own.
alter table imports.mail add column sent_to bigint[] not null default '{}';
