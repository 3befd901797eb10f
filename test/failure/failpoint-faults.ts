import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import type { FaultyProcess } from './faulty-process.ts';
import { cutConnections, TRANSACTION_IDLE_MS } from './faulty-stack.ts';

/** What happens to a process that stands at a named step. */
export interface StepFault {
  readonly name: string;
  begin(hit: FaultyProcess, db: Pool): Promise<void>;
  // Once nothing is left to do for the others.
  end(hit: FaultyProcess): Promise<void>;
}

const A_LITTLE_LONGER_MS = 300;

export const KILL: StepFault = {
  name: 'kill',
  begin: (hit) => hit.kill(),
  end: (hit) => hit.start(),
};

// For longer than PostgreSQL waits for it. What it goes on with then must come to nothing.
const PAUSE: StepFault = {
  name: 'pause',
  begin: (hit) => {
    hit.pause();
    return sleep(TRANSACTION_IDLE_MS + A_LITTLE_LONGER_MS);
  },
  end: (hit) => {
    hit.release();
    hit.resume();
    return Promise.resolve();
  },
};

const CUT: StepFault = {
  name: 'cut',
  begin: async (hit, db) => {
    await cutConnections(db);
    hit.release();
  },
  end: () => Promise.resolve(),
};

export const STEP_FAULTS: readonly StepFault[] = [KILL, PAUSE, CUT];
