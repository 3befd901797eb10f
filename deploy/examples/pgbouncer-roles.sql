-- PgBouncer drops the settings that the services request when they connect (docs/scaling.md), so
-- their roles have them. '60s' is IDLE_IN_TRANSACTION_TIMEOUT_SECONDS of import-reconciler.
do $$
declare role text;
begin
  foreach role in array '{survey_gateway,survey_export,survey_imports,survey_scoring,survey_text,survey_admin}'::text[] loop
    execute format('alter role %I in database survey set statement_timeout = %L', role, '10s');
    execute format('alter role %I in database survey set idle_in_transaction_session_timeout = %L', role, '30s');
  end loop;
end $$;
alter role survey_imports in database survey set idle_in_transaction_session_timeout = '60s';
