-- Facts about employees are tried again in the order of their arrival, some per turn.
create index concurrently deferred_fact_in_order on imports.deferred_fact (account_id, deferred_at, line, object_id);
