const SAME_PRESS_MS = 1_000;

/**
 * Settles when somebody wants us to stop: a signal, or `run.mjs`, which started us, is gone. npm
 * repeats the terminal's Ctrl-C, so a second signal soon after counts as the same; a later one
 * means at once, and what we started then ends by itself.
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
