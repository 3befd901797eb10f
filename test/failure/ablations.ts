import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { BEFORE, customerBefore, hitAt } from './failpoint-cases.ts';
import { KILL, type StepFault } from './failpoint-faults.ts';

interface Ablation {
  // Takes something away from every process.
  readonly preload?: string;
  // Takes something away from the database.
  readonly sql?: string;
  // What is lost with a process that is killed.
  readonly lostWithProcess?: string;
}

const preload = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** What the import's protocol stands on, each taken away by itself: then the same tests must find that something is wrong (R3). */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  'row-lock': { preload: preload('without-row-lock.ts') },
  'deadline-check': { preload: preload('without-deadline-check.ts') },
  sweeper: {
    sql: `create or replace function imports.due_imports() returns table (account_id bigint, import_uuid uuid)
          language sql stable as 'select null::bigint, null::uuid where false'`,
  },
  // As if messages waited in the memory of whoever has them to publish.
  outbox: { lostWithProcess: 'delete from imports.outbox where sent_at is null' },
};

const NOTHING: Ablation = {};
// So that nobody is taken for paused who only hesitates.
const IDLE_IN_TRANSACTION_TIMEOUT_SECONDS = '20';
const HESITATES_MS = 4_000;
const AT_EACH_PLACE = 2;

/** Hunts on a stack of its own that lacks one thing, or nothing. Answers with the first that is found. */
export async function huntWithout(name: string | undefined, folder: string): Promise<string[]> {
  const ablation = (name === undefined ? undefined : ABLATIONS[name]) ?? NOTHING;
  const settings = { IDLE_IN_TRANSACTION_TIMEOUT_SECONDS };
  await using stack = await startFaultyStack({ folder: join(folder, name ?? 'whole'), settings, preload: ablation.preload });
  if (ablation.sql !== undefined) await stack.db.query(ablation.sql);
  for (const hunt of HUNTS) {
    const found = await hunt(stack, ablation);
    if (found.length > 0) return found;
  }
  return [];
}

type Hunt = (stack: FaultyStack, ablation: Ablation) => Promise<string[]>;

const killAt =
  (step: string): Hunt =>
  async (stack, { lostWithProcess = 'select 1' }) => {
    const begin: StepFault['begin'] = async (hit, db) => {
      await hit.kill();
      await db.query(lostWithProcess);
    };
    return hitAt(stack, await customerBefore(stack), { step, fault: { ...KILL, begin } });
  };

// A worker that goes on after a while, and is right to do so: nobody else may have taken its import meanwhile.
const HESITATE: StepFault = {
  name: 'hesitate',
  begin: async (hit) => {
    await sleep(HESITATES_MS);
    hit.release();
  },
  end: () => Promise.resolve(),
};

// Applied twice it leaves nothing that its results could not hold twice: where somebody was skipped, their primary key alone would keep a second
// worker from ending.
const ONE_MORE = [...BEFORE, { import_id: 'E5', email: 'e5@x.io', firstname: 'Ann', lastname: 'Day' }];

const HUNTS: readonly Hunt[] = [
  (stack) => sendLateRequests(stack, AT_EACH_PLACE),
  async (stack) => hitAt(stack, await customerBefore(stack), { step: 'import.claimed', fault: HESITATE, snapshot: ONE_MORE }),
  killAt('relay.claimed'),
  killAt('import.claimed'),
];
