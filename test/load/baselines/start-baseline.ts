import { fork } from 'node:child_process';
import { once } from 'node:events';
import { NODE_FLAGS } from '@survey/local/service-environments.ts';

export interface Baseline extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a baseline program with the gateway's Node flags, and returns its URL. @throws when it
 * exits before it sends its port.
 */
export async function startBaseline(program: string, ...args: readonly string[]): Promise<Baseline> {
  const child = fork(program, args, { execArgv: [...process.execArgv, ...NODE_FLAGS.gateway] });
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
