import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Baseline extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a baseline program and returns its URL. @throws when it exits before it sends its port.
 */
export async function startBaseline(program: string, ...args: readonly string[]): Promise<Baseline> {
  const child = fork(program, args);
  const started = new AbortController();
  const exited = once(child, 'exit', { signal: started.signal }).then(([code]) => {
    throw new Error(`cannot start ${program}: exited with ${code}`);
  });
  const [port] = await Promise.race([once(child, 'message') as Promise<[number]>, exited]);
  started.abort();
  exited.catch(() => {});
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
