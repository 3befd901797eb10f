/** Test files that do not run with --backend citus, with the reason. */
export const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  'test/system/{account-work,intake-faults,traces}.test.ts': 'Citus: triggers are not supported on distributed tables',
  'test/system/*-plan.test.ts': 'reads plans of plain PostgreSQL',
  'test/system/surveyctl-support-bundle.test.ts': 'the bundle has the plans of the coordinator, without those of workers',
  'test/system/{migrate,prepare,schema-range}.test.ts': 'migrates databases of its own',
};
