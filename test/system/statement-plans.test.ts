import { declared, describeStatementPlans } from '../support/statement-plans.ts';

// Requests and facts beside larger accounts; test/proofs tries all statements in five worlds.
const QUICK = /\/(?:facts|answers|release|scores|guard|lists|employees)\//;

describeStatementPlans(
  'an account that is new beside larger ones',
  { own: { responses: 4_000, others: 3_500 }, neighbours: [[2, { responses: 10_000, others: 1_000 }]], statistics: ['stale'] },
  declared.constant.filter(({ file }) => QUICK.test(file)),
);
