const SAME_PRESS_MS = 1_000;

/**
 * Resolves on a signal, or when our parent `run.mjs` is gone. npm repeats the terminal's Ctrl-C, so
 * a second signal shortly after counts as the same; a later one exits at once, and the processes
 * started here then end by themselves.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (): void => {
      first ??= performance.now();
      if (performance.now() - first > SAME_PRESS_MS) process.exit(130);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    if (process.channel) process.once('disconnect', resolve);
  });
}
