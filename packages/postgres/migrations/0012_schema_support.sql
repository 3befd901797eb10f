-- Which code can work with this database: any that knows a migration of at least this number. A
-- contract migration, and nothing else, raises it (CONTRIBUTING.md, "Migrations"). Services look
-- here, and at what was migrated, before they serve.
create table schema_support (
  is_only_row boolean primary key default true check (is_only_row),
  oldest_code int not null
);
insert into schema_support (oldest_code) values (10);

grant select on schema_support, migration to survey_gateway, survey_export, survey_imports, survey_scoring, survey_text, survey_admin;
