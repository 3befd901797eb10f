-- A change that another service makes is recorded when it is requested, and gets its outcome
-- afterwards. Null: made in the transaction of the entry.
alter table admin.audit
  add column outcome text check (outcome in ('requested', 'done', 'rejected')),
  -- Why it was rejected.
  add column rejection text;

-- The only change of an entry, and only once.
create function admin.end_audited(wanted_account bigint, entry bigint, its_outcome text, its_rejection text) returns void
  language plpgsql set search_path = ''
  as $$
    begin
      update admin.audit a set outcome = its_outcome, rejection = its_rejection
      where a.account_id = wanted_account and a.id = entry and a.outcome = 'requested';
    end
  $$;
grant update (outcome, rejection) on admin.audit to survey_definer;
call run_as_definer('admin.end_audited', 'survey_admin');
