import { SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { anonymousMebibytes } from '../../../test/support/process-memory.ts';
import type { WholeStack } from '../../../test/failure/whole-stack.ts';

interface MemoryWatch extends AsyncDisposable {
  /** Most memory that a service has had of its own so far, without the files that it maps. */
  peakMebibytes(service: ServiceName): number;
}

const EVERY_MS = 50;

/** Reads the memory of every service all the time: the kernel keeps no peak of this part. */
export function watchMemory({ services }: WholeStack): MemoryWatch {
  const peaks = new Map<ServiceName, number>();
  const look = async (): Promise<void> => {
    for (const service of SERVICES) {
      const { pid } = services[service];
      if (pid !== undefined) peaks.set(service, Math.max(peaks.get(service) ?? 0, await anonymousMebibytes(pid)));
    }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY_MS);
  return {
    peakMebibytes: (service) => peaks.get(service) ?? 0,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
