import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Options of `npm run test:faults`. */
export interface FaultOptions {
  readonly seed: number;
  // Repetitions of each part.
  readonly rounds: number;
  // Random faults per round.
  readonly faults: number;
  // Duration of each outage.
  readonly seconds: number;
}

/** Runs `work` with a temporary folder. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
