import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@survey/local/service-environments.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { Account } from '../../test/support/accounts.ts';
import { Customer } from '../../test/failure/customer.ts';
import type { FaultyProcess } from '../../test/failure/faulty-process.ts';
import { none, type Goal } from './goals.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';
import { waitUntilIdle } from '../../test/failure/wait-until-idle.ts';
import type { ReadFixture } from './read-fixture.ts';
import { importSteadily } from './steady-imports.ts';
import { readSteadily, steadyNow } from './steady-reads.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const READS_PER_SECOND = 40;
const CALM_MS = 10_000;
const LARGE = 10_000;
const LARGER = 10_500;
const TIMEOUT_MS = 20_000;
const ENDED_WITHIN_MS = 120_000;
// Load balancers notice readiness with a delay.
const BETWEEN_MS = 1_500;
/** Drain delay in the environment of every service, so that load balancers notice the stop. */
export const DRAINING = { DRAIN_DELAY_MS: '2000' };

/**
 * Replaces every instance of every service, one after the other, under load and during large
 * imports, twice, by the same version. test/proofs/upgrade.test.ts replaces by another.
 */
export async function rollEverything(stack: WholeStack, readable: ReadFixture): Promise<Goal[]> {
  const paths = [...readable.bodies.keys()];
  const reading = readSteadily({ url: stack.gatewayUrl, key: readable.key, paths, perSecond: READS_PER_SECOND });
  const importing = await importSteadily(stack);
  const [disturbed, calm] = [await account(stack), await account(stack)];
  await sleep(CALM_MS);
  const beganAt = steadyNow();
  const large = new Customer(disturbed, [stack.gatewayUrl], TIMEOUT_MS);
  for (const people of [LARGE, LARGER]) {
    for (const service of SERVICES) {
      if (service === 'import-reconciler') await large.deliver(plainSnapshot(people));
      for (const instance of stack.instances[service]) await replace(instance);
    }
    await waitUntilIdle(stack.db, [disturbed.accountId], ENDED_WITHIN_MS);
  }
  const [reads, imports] = await Promise.all([reading.stop(), importing.stop()]);
  await importCalmly(stack, calm);
  const failedAtAll = reads.filter(({ status }) => status !== 200);
  const failed = failedAtAll.filter(({ sentAt }) => sentAt >= beganAt);
  for (const { path, status, tookMs } of failed.slice(0, 10))
    console.log(`  ✗ ${path}: ${status} after ${Math.round(tookMs)} ms`);
  const wrong = reads.filter(({ status, path, sha256 }) => status === 200 && readable.bodies.get(path) !== sha256);
  const unended = imports.filter(({ status, endedMs }) => status !== 202 || endedMs === undefined);
  const replaced = `each of ${SERVICES.length * stack.instances.gateway.length} instances replaced twice`;
  return [
    none(`${replaced}: reads other than 200`, failed.length, `of ${reads.length}; ${failedAtAll.length - failed.length} before`),
    none(`${replaced}: wrong answers`, wrong.length, `of ${reads.length}`),
    none(`${replaced}: imports not accepted or not applied`, unended.length, `of ${imports.length}`),
    none(
      `imports of ${LARGE} and ${LARGER} employees meanwhile: differences from a run without replacements`,
      (await stateOf(stack.db, disturbed)) === (await stateOf(stack.db, calm)) ? 0 : 1,
    ),
  ];
}

const account = ({ operator }: WholeStack): Promise<Account> => operator.createAccount({ threshold: '100' });

async function replace(instance: FaultyProcess): Promise<void> {
  await instance.stop();
  await instance.start();
  await sleep(BETWEEN_MS);
}

async function importCalmly(stack: WholeStack, { accountId, ...keys }: Account): Promise<void> {
  const customer = new Customer({ accountId, ...keys }, [stack.gatewayUrl], TIMEOUT_MS);
  for (const people of [LARGE, LARGER]) {
    await customer.deliver(plainSnapshot(people));
    await waitUntilIdle(stack.db, [accountId], ENDED_WITHIN_MS);
  }
}

// All data that imports determine, except times.
async function stateOf(db: Pool, { accountId }: Account): Promise<string> {
  const { rows } = await db.query<{ state: string }>(
    `select md5(string_agg(row(id, position, import_id, email, firstname, lastname, role, is_deleted, supervisor_id, option_ids)::text, ' ' order by id)) ||
       (select string_agg(row(state, created, updated, unchanged, reactivated, skipped, offboarded)::text, ' ' order by accepted_at)
        from imports.import where account_id = $1) as state
     from imports.employee where account_id = $1`,
    [accountId],
  );
  return rows[0]?.state ?? 'nothing';
}
