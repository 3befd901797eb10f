import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Peer extends AsyncDisposable {
  readonly url: string;
}

/** A peer in a process of its own: a program that sends its port once it serves. */
export async function startPeer(program: string, ...args: readonly string[]): Promise<Peer> {
  const child = fork(program, args);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
