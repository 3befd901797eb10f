-- There are no external models and maskers any more. Code that knows this migration neither reads
-- nor writes these columns, so a later release may drop them (`-- contract: 0007`).
comment on column admin.settings.external_masker is 'unused since migration 7';
comment on column admin.settings.external_text_models is 'unused since migration 7';
