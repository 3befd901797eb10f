-- Which version of the masker made a mask, so that an upgrade replaces masks without hiding texts.

alter table text.masked_text
  -- Number of the masker's version; 0 for masks of releases that did not record it.
  add column masker integer not null default 0;
