-- Why an import was cancelled or has failed, as codes with figures: sentences are rendered where
-- people read them. `cancel_reasons` has only the codes from now on, for the previous release. The
-- sentences in imports.record_result are not read any more, and expire with its rows.
alter table imports.import add column reasons jsonb not null default '[]';

grant update (reasons) on imports.import to survey_definer;
set role survey_definer;

update imports.import i set reasons = coalesce((
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'code', case
      when s.sentence like '%an empty import_id: %' then 'import_id_blank'
      when s.sentence like 'the same import_id is given twice: %' then 'import_id_repeated'
      when s.sentence like 'offboarding %' then 'deletion_threshold'
      when s.sentence like '%disconnected before the import ran' then 'integration_disconnected'
      when s.sentence like 'given up after % hours of faults of the service' then 'service_faults'
      when s.sentence like 'given up after % that ended the process of the service' then 'process_ended'
      else 'attempts_failed'
    end,
    'count', coalesce(
      substring(s.sentence from '^(?:offboarding |given up after )?(\d+) ')::bigint,
      cardinality(s.places) / 2 + coalesce(substring(s.sentence from ' and (\d+) more$')::bigint, 0)),
    'managed', substring(s.sentence from ' of (\d+) managed employees ')::bigint,
    'threshold', substring(s.sentence from ' above the threshold of ([\d.]+) %$'),
    'records', coalesce(to_jsonb(s.places), '[]')
  )) order by s.number)
  from (
    select t.sentence, t.number, (
      select array_agg(p.place[1]::bigint order by p.number)
      from regexp_matches(t.sentence, '/employees/(\d+)', 'g') with ordinality p (place, number)) as places
    from unnest(i.cancel_reasons) with ordinality t (sentence, number)
  ) s
), '[]')
where i.cancel_reasons <> '{}';

-- Not by `reset role`, which Citus would pass on to other nodes together with the whole file.
select set_config('role', 'none', false);
