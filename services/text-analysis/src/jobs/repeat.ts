import type { ServiceTools } from '@survey/process/service.ts';

export interface Repeated {
  // Does it now, or once more as soon as what runs has ended.
  wake(): void;
}

/** Does something again and again until the service stops, never twice at a time. When it fails, that is logged and the next time comes. */
export function repeat(
  failure: string,
  everyMs: number,
  { log, resources }: Pick<ServiceTools, 'log' | 'resources'>,
  work: () => Promise<void>,
): Repeated {
  let stopped = false;
  let wake = (): void => {};
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await work().catch((error: unknown) => log.warn({ err: error }, failure));
      const timer = setTimeout(() => wake(), everyMs);
      await woken;
      clearTimeout(timer);
    }
  };
  const running = loop();
  resources.defer(() => {
    stopped = true;
    wake();
    return running;
  });
  return { wake: () => wake() };
}
