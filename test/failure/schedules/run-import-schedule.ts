import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Customer } from '../customer.ts';
import type { FaultyStack } from '../faulty-stack.ts';
import { plainSnapshot } from '../plain-snapshot.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';
import { explore, type Schedule } from './explore.ts';
import { casesOf, type Case, type Mechanisms, type World } from './import-model.ts';
import { REACHED_WITHIN_MS, ScheduleRun } from './run-schedule.ts';

/** Settings with which a process may stay at a failpoint. */
export const PATIENT = { IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: '60' };

export interface ImportSchedule extends Schedule<World> {
  readonly of: Case;
}

const ALL_MECHANISMS: Mechanisms = { accountLock: true, rowLock: true, busyCheck: true, slot: true };

/**
 * Returns every schedule of the model that the real stack can run. Two workers of one import cannot
 * be told to stop at the same failpoint; import-ablations.test.ts has them.
 */
export function schedules(): ImportSchedule[] {
  return casesOf(ALL_MECHANISMS)
    .filter(({ name }) => name !== 'import/worker')
    .flatMap((of) => explore(of).map((schedule) => ({ ...schedule, of })));
}

const IDLE_WITHIN_MS = 30_000;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const PERSON = 'P2';

/** Runs a schedule on an account of its own. Returns what differs from the model. */
export async function runImportSchedule(stack: FaultyStack, schedule: ImportSchedule): Promise<string[]> {
  const { name, of, world } = schedule;
  const account = await stack.operator.createAccount({ threshold: of.needsOverride ? '20' : '100' });
  const { accountId: account_id } = account;
  const customer = new Customer(account, stack.gatewayUrls);
  await customer.deliver(plainSnapshot(4));
  await waitUntilIdle(stack.db, [account_id], IDLE_WITHIN_MS);
  const post = (people: number) => customer.post(plainSnapshot(people), randomUUID(), AbortSignal.timeout(REACHED_WITHIN_MS));
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    import: () => post(of.needsOverride ? 2 : 5),
    upload: () => post(6),
    disconnect: () => stack.operator.disconnect(account_id),
    allow: () => allowDeletes(stack, account_id),
    erase: () => {
      const employee = { employee_id: null, import_id: PERSON, email: null };
      return stack.operator.admin.eraseEmployee({ account_id, employee, dry_run: false, may_return: false }, AS_OPERATOR);
    },
  };
  const run = new ScheduleRun(schedule.steps, calls);
  for (const process of [...stack.gateways, ...stack.workers]) process.stopper = run.stop.bind(run);
  try {
    await run.runAll();
    run.end();
    await waitUntilIdle(stack.db, [account_id], IDLE_WITHIN_MS);
    const found = await readWorld(stack, account_id);
    const expected = {
      imports: world.imports.filter(({ committed }) => committed).map(({ state, ends }) => ({ state, ends })),
      person: world.person,
    };
    if (isDeepStrictEqual(found, expected)) return [];
    return [`${name}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  } finally {
    run.end();
    for (const process of [...stack.gateways, ...stack.workers]) process.stopper = undefined;
  }
}

// Refused while the import is being applied, and after that.
async function allowDeletes({ operator, db }: FaultyStack, account_id: number): Promise<void> {
  const { rows } = await db.query<{ import_uuid: string }>(
    "select import_uuid from imports.import where account_id = $1 and state = 'accepted'",
    [account_id],
  );
  const import_uuid = rows[0]?.import_uuid;
  if (import_uuid === undefined) return;
  await operator.admin.allowDeletes({ account_id, import_uuid }, AS_OPERATOR).catch(() => undefined);
}

async function readWorld({ db }: FaultyStack, accountId: number) {
  const imports = await db.query<{ state: string; ends: number }>(
    `select state, (select count(*)::int from imports.outbox o where o.account_id = i.account_id
        and o.subject in ('events.import.applied', 'events.import.cancelled', 'events.import.failed')
        and position(decode(replace(i.import_uuid::text, '-', ''), 'hex') in o.payload) + position(i.import_uuid::text::bytea in o.payload) > 0) as ends
     from imports.import i where account_id = $1 order by accepted_at offset 1`,
    [accountId],
  );
  const erased = await db.query("select from imports.employee where account_id = $1 and email = ''", [accountId]);
  return { imports: imports.rows, person: (erased.rowCount ?? 0) > 0 ? 'erased' : 'there' };
}
