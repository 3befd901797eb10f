import { SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { anonymousMebibytes } from '../../../test/support/process-memory.ts';
import type { HostileConsole } from './console.ts';
import type { WholeStack } from '../../../test/failure/whole-stack.ts';

export const WATCHED = [...SERVICES, 'console'] as const;
type Watched = ServiceName | 'console';

interface MemoryWatch extends AsyncDisposable {
  /** Most memory that a process has had of its own so far, without the files that it maps. */
  peakMebibytes(process: Watched): number;
}

const EVERY_MS = 50;

/** Reads the memory of every process all the time: the kernel keeps no peak of this part. */
export function watchMemory({ services }: WholeStack, webConsole: HostileConsole): MemoryWatch {
  const peaks = new Map<Watched, number>();
  const look = async (): Promise<void> => {
    for (const name of WATCHED) {
      const { pid } = name === 'console' ? webConsole : services[name];
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
