/** Holds the newest of what it was told until somebody asks: a slow reader skips what is out of date instead of falling behind. */
export class LatestValue<T> {
  #latest: T | undefined;
  #wake = (): void => {};

  put(news: T): void {
    this.#latest = news;
    this.#wake();
  }

  /** The newest since the last call; waits for it up to `timeoutMs`, then answers undefined. Rejects when the signal is aborted. */
  async next(timeoutMs: number, signal: AbortSignal): Promise<T | undefined> {
    if (this.#latest === undefined && timeoutMs > 0) await this.#wait(timeoutMs, signal);
    signal.throwIfAborted();
    const news = this.#latest;
    this.#latest = undefined;
    return news;
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = setTimeout(wake, timeoutMs);
    signal.addEventListener('abort', wake);
    this.#wake = wake;
    await promise;
    // A watch may wait thousands of times on the same signal.
    signal.removeEventListener('abort', wake);
    clearTimeout(timer);
  }
}
