-- Code works with this database if it knows a migration of at least this number. Only contract
-- migrations raise it (CONTRIBUTING.md, "Migrations"). Services check it, and the applied
-- migrations, before they serve.
create table schema_support (
  is_only_row boolean primary key default true check (is_only_row),
  oldest_code int not null
);
insert into schema_support (oldest_code) values (10);

grant select on schema_support, migration to survey_gateway, survey_export, survey_imports, survey_scoring, survey_text, survey_admin;
