import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `npm run test:faults` was asked for. */
export interface FaultOptions {
  readonly seed: number;
  // How often each part is done.
  readonly rounds: number;
  // Random faults in each round.
  readonly faults: number;
  // How long each outage lasts.
  readonly seconds: number;
}

/** In a folder of its own, which is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
