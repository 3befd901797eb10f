import dns from 'node:dns';
import { waitUntilReady } from '@survey/local/service-process.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { reservePort } from '@survey/local/ports.ts';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openScoreFixture, released } from '../support/score-fixture.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const NAME = 'scoring.test';
const PODS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
const ACCOUNTS = 40;
const SCORE = '/v1/scores?question_ids=11&period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';

// As a headless service of Kubernetes: one name for all pods once they are ready.
const { lookup } = dns.promises;
let isReady = false;
const asKubernetes = async (name: string, options: dns.LookupAllOptions) => {
  if (name !== NAME) return lookup(name, options);
  if (!isReady) throw new Error('cannot resolve the name: no pod is ready');
  return PODS.map((host) => ({ address: host, family: 4 }));
};
const resolving = vi.spyOn(dns.promises, 'lookup').mockImplementation(asKubernetes as never);
const [port, probePort] = [await reservePort(), await reservePort()];
const address = { SCORING_ANONYMITY_ADDRESS: `${NAME}:${port}` };
const files = await startFileStack({ gateway: address, 'text-analysis': address });
const { fixture, state, ask } = await openScoreFixture(files);
const pods = PODS.map((host) =>
  startWorkerProcess('scoring-anonymity', files.stack, { GRPC_LISTEN: `${host}:${port}`, PROBE_LISTEN: `${host}:${probePort}` }),
);
afterAll(async () => {
  await Promise.all(pods.map((pod) => pod[Symbol.asyncDispose]()));
  resolving.mockRestore();
});
await Promise.all(PODS.map((host) => waitUntilReady('scoring-anonymity', `${host}:${probePort}`)));
isReady = true;

/** Returns the accounts that each pod has loaded. */
const loads = (): number[][] =>
  pods.map((pod) =>
    pod
      .said()
      .split('\n')
      .filter((line) => line.includes('"answers loaded"'))
      .map((line) => Number(/"account_id":(\d+)/.exec(line)?.[1]))
      .toSorted((a, b) => a - b),
  );

async function askEach(accounts: readonly Account[]): Promise<void> {
  for (const account of accounts) expect(await ask(account, '11')).toMatchObject(released(100, 5));
}

describe('routing by account over four pods of scoring-anonymity', () => {
  let accounts: Account[];
  let before: number[][];

  it('loads each of 40 accounts in one pod only, and some in each pod', async () => {
    accounts = [];
    for (let nth = 0; nth < ACCOUNTS; nth += 1) accounts.push(await fixture());
    await Promise.all(accounts.map((account) => state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }))));
    const [first] = accounts;
    await expect.poll(() => files.api.get(SCORE, first?.readKey)).toMatchObject({ status: 200 });
    await askEach(accounts);
    await askEach(accounts);
    const ids = accounts.map(({ accountId }) => accountId).toSorted((a, b) => a - b);
    await expect.poll(() => loads().flat().length).toBe(ACCOUNTS);
    before = loads();
    expect(before.flat().toSorted((a, b) => a - b)).toEqual(ids);
    expect(Math.max(...before.map(({ length }) => length))).toBeLessThan(ACCOUNTS / 2);
    expect(Math.min(...before.map(({ length }) => length))).toBeGreaterThan(0);
  });

  it('moves only the accounts of a pod that has left', async () => {
    const [left, ...others] = pods;
    await left?.kill();
    await askEach(accounts);
    await askEach(accounts);
    const [moved = [], ...kept] = before;
    await expect.poll(() => loads().flat().length).toBe(ACCOUNTS + moved.length);
    const added = loads()
      .slice(-others.length)
      .flatMap((all, at) => all.filter((id) => !kept[at]?.includes(id)));
    expect(added.toSorted((a, b) => a - b)).toEqual(moved);
  });
});
