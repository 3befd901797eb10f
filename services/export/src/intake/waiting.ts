import { listen } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { asIncoming } from '@survey/bus/fact-batch.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { lockAssignments } from '../sql/save-assignments.ts';
import { accountsWaiting, readyAssignments } from '../sql/waiting-assignments.ts';
import { applyAssignments } from './assignments.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 1_000;

/**
 * Applies facts as soon as the employees whom they wait for are there: when an import says that it was applied, and every 2 s whatever
 * the bus has lost.
 */
export function watchWaiting(pool: Pool, bus: BusConnection, { log, resources }: ServiceTools): void {
  let looking: Promise<void> | undefined;
  const failed = (error: unknown): void => log.warn({ err: error }, 'waiting facts could not be applied');
  const look = async (accountIds: readonly number[]): Promise<void> => {
    for (const accountId of accountIds) await applyReady(pool, accountId).catch(failed);
  };
  const timer = setInterval(() => {
    looking ??= accountsWaiting(pool)
      .then(look)
      .catch(failed)
      .finally(() => (looking = undefined));
  }, EVERY_MS);
  const applied = listen(bus, 'events.import.applied', (payload) => {
    void look([ImportEvent.decode(payload).account_id]);
  });
  resources.defer(async () => {
    clearInterval(timer);
    applied[Symbol.dispose]();
    await looking;
  });
}

async function applyReady(pool: Pool, accountId: number): Promise<void> {
  let mayBeMore = true;
  while (mayBeMore) mayBeMore = await applySome(pool, accountId);
}

function applySome(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAssignments(tx, accountId);
    const facts = await readyAssignments(tx, accountId, AT_ONCE);
    // They were fit when they were put aside, and leave the table with what they become.
    const rejected = await applyAssignments(tx, accountId, facts.map(asIncoming));
    return facts.length === AT_ONCE && rejected.length === 0;
  });
}
