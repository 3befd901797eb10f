import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Customer } from '../customer.ts';
import type { FaultyStack } from '../faulty-stack.ts';
import { plainSnapshot } from '../plain-snapshot.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';
import { casesOf, explore, type Case, type Mechanisms, type Schedule } from './import-model.ts';

/** Settings with which a process may stay at a failpoint. */
export const PATIENT = { IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: '60' };

export interface NamedSchedule extends Schedule {
  // Such as import/erase-17.
  readonly name: string;
  readonly of: Case;
}

export const ALL_MECHANISMS: Mechanisms = { accountLock: true, rowLock: true, busyCheck: true, slot: true };

/**
 * Returns every schedule of the model that the real stack can run. Two workers of one import cannot
 * be told to stop at the same failpoint; import-ablations.test.ts has them.
 */
export function schedules(): NamedSchedule[] {
  return casesOf(ALL_MECHANISMS)
    .filter(({ name }) => name !== 'import/worker')
    .flatMap((of) => explore(of, ALL_MECHANISMS).map((schedule, n) => ({ ...schedule, name: `${of.name}-${n + 1}`, of })));
}

const REACHED_WITHIN_MS = 20_000;
const IDLE_WITHIN_MS = 30_000;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const PERSON = 'P2';

/** Runs a schedule on an account of its own. Returns what differs from the model. */
export async function runSchedule(stack: FaultyStack, schedule: NamedSchedule): Promise<string[]> {
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
  const run = new ScheduleRun(stack, schedule, calls);
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

/**
 * Moves the actors one step at a time. Whoever arrives at a failpoint of the rest of the schedule
 * stays there until it is that actor's turn again.
 */
class ScheduleRun {
  readonly #calls: Readonly<Record<string, () => Promise<unknown>>>;
  readonly #begun = new Map<string, Promise<unknown>>();
  // By failpoint: who waits there.
  readonly #arrived = new Map<string, (() => void)[]>();
  // By actor: what lets it continue.
  readonly #stopped = new Map<string, () => void>();
  #rest: Schedule['steps'];

  constructor(stack: FaultyStack, { steps }: Schedule, calls: Readonly<Record<string, () => Promise<unknown>>>) {
    this.#rest = steps;
    this.#calls = calls;
    for (const process of [...stack.gateways, ...stack.workers])
      process.stopper = (failpoint, resume) => {
        if (!this.#rest.some(({ point }) => point === failpoint)) return false;
        this.#arrived.set(failpoint, [...(this.#arrived.get(failpoint) ?? []), resume]);
        return true;
      };
  }

  async runAll(): Promise<void> {
    while (this.#rest[0] !== undefined) {
      const { actor, point, isOver } = this.#rest[0];
      const call = this.#begun.get(actor) ?? this.#calls[actor]?.() ?? Promise.resolve();
      this.#begun.set(actor, call);
      this.#stopped.get(actor)?.();
      this.#stopped.delete(actor);
      // A call without failpoints is a step by itself, and a step that ends its actor reaches none.
      if (isOver || !point.includes('.')) await withinLimit(call, `${actor} does not end at ${point}`);
      else this.#stopped.set(actor, await this.#arrival(actor, point));
      this.#rest = this.#rest.slice(1);
      if (this.#rest.every((step) => step.actor !== actor)) this.#stopped.get(actor)?.();
    }
  }

  /** Lets everyone continue, whatever is left. */
  end(): void {
    this.#rest = [];
    for (const resume of [...this.#stopped.values(), ...[...this.#arrived.values()].flat()]) resume();
    this.#stopped.clear();
    this.#arrived.clear();
  }

  async #arrival(actor: string, point: string): Promise<() => void> {
    const deadline = Date.now() + REACHED_WITHIN_MS;
    for (;;) {
      const first = this.#arrived.get(point)?.shift();
      if (first !== undefined) return first;
      if (Date.now() > deadline) throw new Error(`${actor} does not reach ${point}`);
      await sleep(5);
    }
  }
}

async function withinLimit(call: Promise<unknown>, otherwise: string): Promise<void> {
  const over = new AbortController();
  const tooLate = sleep(REACHED_WITHIN_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(otherwise);
  });
  await Promise.race([call, tooLate]);
  over.abort();
  await tooLate.catch(() => undefined);
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
