-- Up Migration

-- Languages of the account's surveys, of which one can be the default of its employees.
create function export.survey_languages() returns setof text
  language sql stable set search_path = ''
  as $$
    select distinct l.code from export.survey s, jsonb_object_keys(s.name) l (code)
    where s.account_id = public.current_account() and not s.is_archived order by 1
  $$;
call run_as_definer('export.survey_languages', 'survey_admin');
