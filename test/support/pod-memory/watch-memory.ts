import { SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { anonymousMebibytes } from '../process-memory.ts';

export const WATCHED = [...SERVICES, 'console'] as const;
type Watched = ServiceName | 'console';

export interface MemoryWatch extends AsyncDisposable {
  /** Most memory that a process has had of its own so far, without the files that it maps. */
  peakMebibytes(process: Watched): number;
}

const EVERY_MS = 50;

/** Reads the memory of every process all the time: the kernel keeps no peak of this part. */
export function watchMemory(pidOf: (process: Watched) => number | undefined): MemoryWatch {
  const peaks = new Map<Watched, number>();
  const look = async (): Promise<void> => {
    for (const name of WATCHED) {
      const pid = pidOf(name);
      if (pid !== undefined) peaks.set(name, Math.max(peaks.get(name) ?? 0, await anonymousMebibytes(pid)));
    }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY_MS);
  return {
    peakMebibytes: (process) => peaks.get(process) ?? 0,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
