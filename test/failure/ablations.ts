import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { BEFORE, customerBefore, hitAt } from './failpoint-cases.ts';
import { KILL, type FailpointFault } from './failpoint-faults.ts';

interface Ablation {
  // Modules that every process loads to remove a mechanism.
  readonly preload?: string;
  // SQL that removes a mechanism from the database.
  readonly sql?: string;
  // SQL for data that is lost together with a killed process.
  readonly lostWithProcess?: string;
}

const preload = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Ablations of the mechanisms that imports depend on. The tests must detect each of them. */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  'row-lock': { preload: preload('without-row-lock.ts') },
  'deadline-check': { preload: preload('without-deadline-check.ts') },
  sweeper: {
    sql: `create or replace function imports.due_imports() returns table (account_id bigint, import_uuid uuid)
          language sql stable as 'select null::bigint, null::uuid where false'`,
  },
  // Simulates unpublished messages that exist only in the memory of the process.
  outbox: { lostWithProcess: 'delete from imports.outbox where sent_at is null' },
};

const NOTHING: Ablation = {};
// So that a process that is merely slow does not count as frozen.
const IDLE_IN_TRANSACTION_TIMEOUT_SECONDS = '20';
const HESITATES_MS = 4_000;
const REQUESTS_PER_FAILPOINT = 2;

/** Runs the tests on a stack with one ablation, or none. Returns the first failure. */
export async function runWithAblation(name: string | undefined, folder: string): Promise<string[]> {
  const ablation = (name === undefined ? undefined : ABLATIONS[name]) ?? NOTHING;
  const settings = { IDLE_IN_TRANSACTION_TIMEOUT_SECONDS };
  await using stack = await startFaultyStack({ folder: join(folder, name ?? 'whole'), settings, preload: ablation.preload });
  if (ablation.sql !== undefined) await stack.db.query(ablation.sql);
  for (const runTest of TESTS) {
    const found = await runTest(stack, ablation);
    if (found.length > 0) return found;
  }
  return [];
}

type AblationTest = (stack: FaultyStack, ablation: Ablation) => Promise<string[]>;

const killAt =
  (failpoint: string): AblationTest =>
  async (stack, { lostWithProcess = 'select 1' }) => {
    const begin: FailpointFault['begin'] = async (hit, db) => {
      await hit.kill();
      await db.query(lostWithProcess);
    };
    return hitAt(stack, await customerBefore(stack), { failpoint, fault: { ...KILL, begin } });
  };

// A worker that continues after a short pause. No other worker may claim its import meanwhile.
const SHORT_PAUSE: FailpointFault = {
  name: 'short pause',
  begin: async (hit) => {
    await sleep(HESITATES_MS);
    hit.release();
  },
  end: () => Promise.resolve(),
};

// A snapshot without skipped employees, because the primary key of their results would stop a
// second worker.
const ONE_MORE = [...BEFORE, { import_id: 'E5', email: 'e5@x.io', firstname: 'Ann', lastname: 'Day' }];

const TESTS: readonly AblationTest[] = [
  (stack) => sendLateRequests(stack, REQUESTS_PER_FAILPOINT),
  async (stack) =>
    hitAt(stack, await customerBefore(stack), { failpoint: 'import.claimed', fault: SHORT_PAUSE, snapshot: ONE_MORE }),
  killAt('relay.claimed'),
  killAt('import.claimed'),
];
