import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../chart/manifest.ts';
import { openCustomer, type Customer } from './customer.ts';
import { underLoad } from './load.ts';
import { openPrevious } from './previous.ts';
import type { Release } from './release.ts';
import { bootstrapSecrets, openSmallRelease, prepareStores, renderSmall } from './small-release.ts';

const SERVICES = ['account-admin', 'scoring-anonymity', 'export', 'import-reconciler', 'text-analysis', 'gateway', 'ops-tools'];
const PEOPLE = 1_000;
const { helm3 } = inject('tools');
const closing = new AsyncDisposableStack();
const previous = helm3 === undefined ? undefined : await openPrevious(helm3);
if (previous !== undefined) closing.use(previous);
afterAll(() => closing.disposeAsync());

// Without its history a clone does not know what was before: `git fetch --unshallow`.
describe.skipIf(previous === undefined)(`from ${previous?.revision} to this, and back`, () => {
  let before: readonly Manifest[] = [];
  let after: readonly Manifest[] = [];
  let release: Release;
  let customer: Customer;
  const uuids: string[] = [];

  // Each pod by one that is started first, as a rollout without unavailable pods does; imports come in all the while.
  const replaceAll = async (): Promise<void> => {
    for (const old of release.pods.filter(({ component }) => SERVICES.includes(component))) {
      await release.add(old.component);
      if (old.component === 'import-reconciler' || old.component === 'gateway') uuids.push(await customer.importPeople(PEOPLE));
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
    await customer.applied(await customer.importPeople(PEOPLE));
  });

  test('the schema first, then every service under load: no request fails, no import is lost', async () => {
    release.become(after);
    const outcome = await underLoad(release, customer.readKey, async () => {
      await prepareStores(release);
      await replaceAll();
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.answered).toBeGreaterThan(100);
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: PEOPLE });
  });

  test('back again, on the schema as it is now: no request fails, no import is lost', async () => {
    release.become(before);
    const outcome = await underLoad(release, customer.readKey, async () => {
      // With bundled stores the job is no hook: a rollback brings that of the version before, too.
      await prepareStores(release);
      await replaceAll();
    });
    expect(outcome.failures).toEqual([]);
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: PEOPLE });
  });
});
