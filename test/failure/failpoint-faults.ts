import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import type { FaultyProcess } from './faulty-process.ts';
import { cutConnections, TRANSACTION_IDLE_MS } from './faulty-stack.ts';

/** A fault for a process that is stopped at a failpoint. */
export interface FailpointFault {
  readonly name: string;
  begin(hit: FaultyProcess, db: Pool): Promise<void>;
  // Called when all other processes are idle.
  end(hit: FaultyProcess): Promise<void>;
}

const A_LITTLE_LONGER_MS = 300;

export const KILL: FailpointFault = {
  name: 'kill',
  begin: (hit) => hit.kill(),
  end: (hit) => hit.start(),
};

// Longer than PostgreSQL's timeouts. The process must not change anything when it continues.
const PAUSE: FailpointFault = {
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

const CUT: FailpointFault = {
  name: 'cut',
  begin: async (hit, db) => {
    await cutConnections(db);
    hit.release();
  },
  end: () => Promise.resolve(),
};

export const FAILPOINT_FAULTS: readonly FailpointFault[] = [KILL, PAUSE, CUT];
