import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Peer extends AsyncDisposable {
  readonly url: string;
}

/** A peer in a process of its own: a program that sends its port once it serves. Throws when it exits before. */
export async function startPeer(program: string, ...args: readonly string[]): Promise<Peer> {
  const child = fork(program, args);
  const started = new AbortController();
  const exited = once(child, 'exit', { signal: started.signal }).then(([code]) => {
    throw new Error(`${program} exited with ${code} before it served`);
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
