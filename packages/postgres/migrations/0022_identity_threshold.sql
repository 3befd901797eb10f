-- Up Migration

-- Imports that mix people up (rules IMPORT-IDENTITY-11 to IMPORT-IDENTITY-15).

alter table admin.integration
  -- Maximum percentage of the managed employees whose identity one import may change; null: any.
  add column identity_threshold numeric(7, 4) check (identity_threshold between 0 and 100);

alter table imports.import
  -- What was noticed about the snapshot as a whole, as codes with figures, like `reasons`.
  add column warnings jsonb not null default '[]';
