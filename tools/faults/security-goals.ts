import type { GoalTests } from './goal-tests.ts';

/** Tests of the security guarantees, except the differencing attack (differencing.ts). */
export const WALLS: readonly GoalTests[] = [
  {
    what: 'every form of credentials at every endpoint',
    project: 'system',
    args: ['test/system/credentials.test.ts'],
  },
  {
    what: 'each statement without its account filter',
    project: 'proofs',
    args: ['test/proofs/missing-account-filter.test.ts'],
  },
  {
    what: 'a revoked key within 1 s',
    project: 'system',
    args: ['test/system/api-keys.test.ts', '-t', 'revoked'],
  },
  {
    what: 'a revoked key within 10 s without bus and Redis',
    project: 'proofs',
    args: ['test/proofs/revocation.test.ts', '-t', 'revoked'],
  },
  { what: 'a key is looked up once', project: 'unit', args: ['services/gateway/src/keys/api-keys.test.ts'] },
  {
    what: 'canaries occur only in their allowed locations',
    project: 'proofs',
    args: ['test/proofs/canary.test.ts'],
  },
  {
    what: 'rows of other accounts, and actions that database roles and NATS users have no permission for',
    project: 'system',
    args: ['test/failure/bus-permissions.test.ts', 'test/failure/role-permissions.test.ts'],
  },
  { what: 'allowed callers of each method', project: 'unit', args: ['packages/rpc/src/mutual-tls.test.ts'] },
  {
    what: 'TLS to PostgreSQL, NATS and Redis: another authority is rejected',
    project: 'proofs',
    args: ['test/proofs/store-tls.test.ts'],
  },
  {
    what: 'charts: restricted pods, no tokens, default deny',
    project: 'chart',
    args: ['test/chart/pod-security.test.ts', 'test/chart/network.test.ts', 'test/chart/rows.test.ts'],
  },
  {
    what: 'request smuggling',
    project: 'system',
    args: ['test/system/hostile-input.test.ts'],
  },
];
