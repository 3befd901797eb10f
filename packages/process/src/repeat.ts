/** A periodic task. Disposing it waits for the current run. */
export interface Repetition extends AsyncDisposable {
  /** Starts the next run as soon as the current one has ended, instead of after the interval. */
  readonly wake: () => void;
}

/**
 * Runs `work` now, and again `everyMs` after each run has ended: runs never overlap. An error goes
 * to `onError` and does not end the task.
 */
export function repeat(everyMs: number, work: () => unknown, onError: (error: unknown) => void = () => {}): Repetition {
  let isStopped = false;
  let next = Promise.withResolvers<void>();
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      // The promise is replaced before the run, so that a wake during the run is not lost.
      next = Promise.withResolvers<void>();
      try {
        await work();
      } catch (error) {
        onError(error);
      }
      const timer = setTimeout(next.resolve, everyMs).unref();
      await next.promise;
      clearTimeout(timer);
    }
  };
  const running = loop();
  return {
    wake: () => next.resolve(),
    [Symbol.asyncDispose]: () => {
      isStopped = true;
      next.resolve();
      return running;
    },
  };
}
