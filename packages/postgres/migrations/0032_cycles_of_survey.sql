-- Does not begin with account_id, so that no query uses it to find all cycles of an account
-- (docs/adr/0029-no-plan-depends-on-neighbours.md).
create index concurrently cycle_of_survey on export.cycle (survey_id, account_id, opened_at desc, id);
