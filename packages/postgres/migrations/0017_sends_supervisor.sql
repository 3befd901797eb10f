-- Up Migration

-- Whether the last applied record contained reports_to_id: warnings about the supervisor point at
-- it.
alter table imports.employee add column sends_supervisor boolean not null default false;
