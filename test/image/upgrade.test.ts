import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../support/chart/manifest.ts';
import { openCustomer, type Customer } from './customer.ts';
import { underLoad } from './load.ts';
import { openPrevious } from './previous.ts';
import type { Release } from './release.ts';
import { bootstrapSecrets, openSmallRelease, prepareStores, renderSmall } from './small-release.ts';

const SERVICES = ['account-admin', 'scoring-anonymity', 'export', 'import-reconciler', 'text-analysis', 'gateway', 'ops-tools'];
const EMPLOYEES = 1_000;
const { helm3 } = inject('tools');
const closing = new AsyncDisposableStack();
const previous = helm3 === undefined ? undefined : await openPrevious(helm3);
if (previous !== undefined) closing.use(previous);
afterAll(() => closing.disposeAsync());

// Needs the history: run `git fetch --unshallow` in a shallow clone.
describe.skipIf(previous === undefined)(`an upgrade from ${previous?.revision}`, () => {
  let before: readonly Manifest[] = [];
  let after: readonly Manifest[] = [];
  let release: Release;
  let customer: Customer;
  const uuids: string[] = [];

  // Starts a new pod before it stops the old one, as a rollout without unavailable pods does, while
  // imports run.
  const replaceAll = async (): Promise<void> => {
    for (const old of release.pods.filter(({ component }) => SERVICES.includes(component))) {
      await release.add(old.component);
      if (old.component === 'import-reconciler' || old.component === 'gateway')
        uuids.push(await customer.importEmployees(EMPLOYEES));
      expect({ component: old.component, code: await release.stop(old) }).toEqual({ component: old.component, code: 0 });
      for (const uuid of uuids.splice(0)) await customer.applied(uuid);
    }
  };

  beforeAll(async () => {
    before = await renderSmall(previous?.image, previous?.chart);
    after = await renderSmall();
    release = closing.use(await openSmallRelease(bootstrapSecrets(), before));
    await prepareStores(release);
    await Promise.all([...SERVICES, 'gateway', 'export'].map((component) => release.add(component)));
    customer = await openCustomer(release);
    await customer.applied(await customer.importEmployees(EMPLOYEES));
  });

  test('fails no request and loses no import when the schema and then every service is upgraded under load', async () => {
    release.become(after);
    const outcome = await underLoad(release, customer.readKey, async () => {
      await prepareStores(release);
      await replaceAll();
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.succeeded).toBeGreaterThan(100);
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: EMPLOYEES });
  });

  test('fails no request and loses no import when services are rolled back on the new schema', async () => {
    release.become(before);
    const outcome = await underLoad(release, customer.readKey, async () => {
      // With bundled stores the job is not a hook, so a rollback also runs that of the previous
      // version.
      await prepareStores(release);
      await replaceAll();
    });
    expect(outcome.failures).toEqual([]);
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: EMPLOYEES });
  });
});
