import { expect, it } from 'vitest';
import { declared, describeStatementPlans } from '../support/statement-plans.ts';

const OWN = { responses: 10_000, others: 5_000 };
const LARGE = { responses: 30_000, others: 10_000 };
const SMALL = { responses: 50, others: 10 };

const WORLDS = {
  'an account that is alone': { own: OWN, neighbours: [] },
  'two accounts beside four large ones': { own: OWN, neighbours: [[4, LARGE]], loads: ['once', 'again'] },
  'an account that is new beside 2,000 small ones': { own: OWN, neighbours: [[2_000, SMALL]] },
  'the largest account': { own: LARGE, neighbours: [[4, OWN]] },
} as const;

for (const [title, world] of Object.entries(WORLDS))
  describeStatementPlans(title, { ...world, statistics: ['stale', 'fresh'] }, declared.constant);

// These are put together when they run. Files and functions, so that a new one is noticed: if its
// text can be a constant, the tests above include it.
it('knows the statements whose text is no constant', () => {
  expect(declared.composed).toMatchInlineSnapshot(`
    [
      "packages/bus/src/facts/apply-by-employee.ts deleteSuperseded",
      "packages/bus/src/facts/consume-facts.ts saveDeadLetters",
      "packages/bus/src/facts/deferred-facts.ts query",
      "packages/bus/src/facts/retry-deferred.ts readyFacts",
      "packages/bus/src/facts/retry-deferred.ts looked",
      "packages/bus/src/facts/retry-deferred.ts nextRetryMs",
      "packages/bus/src/outbox.ts findUnsent",
      "packages/bus/src/retention.ts retentionWork.sweep",
      "packages/postgres/src/account-rows.ts deleteBatch",
      "services/account-admin/src/bus-recovery.ts selects",
      "services/account-admin/src/bus-recovery.ts deadLetters",
      "services/account-admin/src/bus-recovery.ts countDeadLetters",
      "services/account-admin/src/bus-recovery.ts COUNTS",
      "services/account-admin/src/bus-recovery.ts LINES",
      "services/account-admin/src/imports/show-imports.ts importRecords",
      "services/account-admin/src/imports/show-imports.ts countImportRecords",
      "services/account-admin/src/manage-keys.ts findKey",
      "services/account-admin/src/manage-keys.ts endKey",
      "services/account-admin/src/request-erasure.ts readEmployeeData",
      "services/account-admin/src/request-erasure.ts HASHES",
      "services/export/src/facts/apply-to-table.ts upsert",
      "services/export/src/facts/apply-to-table.ts renewVersion",
      "services/export/src/lists/list-survey-assignments.ts blocks",
      "services/export/src/lists/list-survey-assignments.ts page",
      "services/export/src/lists/read-list.ts counted",
      "services/export/src/lists/read-list.ts page",
      "services/import-reconciler/src/apply/dry-run-import.ts query",
      "services/import-reconciler/src/apply/import-lifecycle.ts countAttempt",
      "services/import-reconciler/src/apply/import-lifecycle.ts findQueuedImport",
      "services/import-reconciler/src/apply/import-lifecycle.ts unlocked",
      "services/import-reconciler/src/apply/offboard.ts query",
      "services/import-reconciler/src/facts/deferred-employee-facts.ts waitingIn",
      "services/import-reconciler/src/facts/deferred-employee-facts.ts readyFacts",
      "services/import-reconciler/src/facts/deferred-employee-facts.ts readyFacts",
      "services/import-reconciler/src/facts/deferred-employee-facts.ts lastLookedAt",
      "services/import-reconciler/src/facts/fact-supervisors.ts assignDeferredSupervisors",
      "services/import-reconciler/src/facts/fact-supervisors.ts assignDeferredSupervisors",
      "services/import-reconciler/src/facts/fact-supervisors.ts lastSupervisorLookedAt",
      "services/import-reconciler/src/rekey/rekey-map.ts findBy",
      "services/import-reconciler/src/tables/account-lock.ts readAccountState",
      "services/import-reconciler/src/tables/stored-body.ts insertChunk",
      "services/text-analysis/src/erasure/expire-texts.ts deleteResponses",
    ]
  `);
});
