-- Facts about an employee, or that name one as a supervisor, are looked up among those that wait.
create index concurrently deferred_fact_by_employee on imports.deferred_fact (account_id, employee_id, employee_import_id);
