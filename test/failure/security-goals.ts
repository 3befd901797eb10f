import type { GoalTests } from './goal-tests.ts';

/** The tests that show S2 to S10, but for what comparing scores gives away (differencing.ts). */
export const WALLS: readonly GoalTests[] = [
  {
    goal: 'S2',
    what: 'every shape of a credential at every endpoint',
    project: 'system',
    args: ['test/system/credentials.test.ts'],
  },
  {
    goal: 'S3',
    what: 'an account removed from each statement in turn; each role in each table',
    project: 'system',
    args: ['test/failure/missing-account-filter.test.ts', 'test/failure/role-permissions.test.ts', '-t', 'S3'],
  },
  {
    goal: 'S4',
    what: 'a revoked key within 1 s, and within 10 s without bus and Redis',
    project: 'system',
    args: ['test/system/api-keys.test.ts', 'test/failure/revocation.test.ts', '-t', 'revoked'],
  },
  { goal: 'S5', what: 'a key is looked up once', project: 'unit', args: ['services/gateway/src/api-keys.test.ts'] },
  { goal: 'S6', what: 'canaries stand in their one place', project: 'system', args: ['test/failure/canary.test.ts'] },
  {
    goal: 'S7',
    what: 'what a role and a user of the bus was not given',
    project: 'system',
    args: ['test/failure/bus-permissions.test.ts', 'test/failure/role-permissions.test.ts', '-t', 'S7'],
  },
  { goal: 'S7', what: 'who may call which method', project: 'unit', args: ['packages/rpc/src/mutual-tls.test.ts'] },
  {
    goal: 'S7',
    what: 'TLS to PostgreSQL, NATS and Redis: another authority is refused',
    project: 'system',
    args: ['test/failure/store-tls.test.ts'],
  },
  {
    goal: 'S8',
    what: 'charts: restricted pods, no tokens, default deny',
    project: 'chart',
    args: ['test/chart/pod-security.test.ts', 'test/chart/network.test.ts', 'test/chart/rows.test.ts'],
  },
  {
    goal: 'S10',
    what: 'connections that are to be taken for two requests',
    project: 'system',
    args: ['test/system/hostile-input.test.ts', '-t', 'S10'],
  },
];
