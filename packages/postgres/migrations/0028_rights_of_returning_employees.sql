-- Up Migration

alter table admin.integration
  -- What an import does with role and grants of an employee whom it reactivates (rule
  -- IMPORT-IDENTITY-18): keep those of before, or reset them as if the employee were new.
  add column on_return text not null default 'keep' check (on_return in ('keep', 'reset'));
