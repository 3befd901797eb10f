/**
 * Holds the newest value until it is read: a slow reader skips outdated values instead of lagging.
 */
export class LatestValue<T> {
  #latest: T | undefined;
  #wake = (): void => {};

  put(value: T): void {
    this.#latest = value;
    this.#wake();
  }

  /**
   * Returns the newest value since the last call, after at most `timeoutMs`; undefined when there
   * is none. Rejects when the signal is aborted.
   */
  async next(timeoutMs: number, signal: AbortSignal): Promise<T | undefined> {
    if (this.#latest === undefined && timeoutMs > 0) await this.#wait(timeoutMs, signal);
    signal.throwIfAborted();
    const value = this.#latest;
    this.#latest = undefined;
    return value;
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = setTimeout(wake, timeoutMs);
    signal.addEventListener('abort', wake);
    this.#wake = wake;
    await promise;
    // A watch may wait on the same signal thousands of times.
    signal.removeEventListener('abort', wake);
    clearTimeout(timer);
  }
}
