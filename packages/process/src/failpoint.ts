import { z } from 'zod';

type FailpointHandler = (name: string) => Promise<void>;

let reach: FailpointHandler | undefined;

/**
 * Marks a failpoint in code that must survive a crash. Does nothing unless tests started the
 * process with FAILPOINTS=on: then it reports the failpoint to the parent and waits, so that the
 * process can be killed or paused exactly there.
 */
export function failpoint(name: string): Promise<void> | undefined {
  return reach?.(name);
}

/** Lets a test that calls the code of a service in its own process wait at failpoints. */
export function onFailpoint(handler: FailpointHandler | undefined): void {
  reach = handler;
}

/**
 * Reads FAILPOINTS once per process.
 * @throws in production
 */
export function enableFailpoints({
  FAILPOINTS,
  NODE_ENV,
}: {
  FAILPOINTS?: 'on' | undefined;
  NODE_ENV?: string | undefined;
}): void {
  if (FAILPOINTS === undefined) return;
  if (NODE_ENV === 'production') throw new Error('FAILPOINTS must not be set in production: unset it');
  if (!process.connected) throw new Error('FAILPOINTS requires a parent process with an IPC channel: unset it');
  reach = askParent();
}

const resumeMessage = z.object({ resume: z.int() });

function askParent(): FailpointHandler {
  const waiting = new Map<number, () => void>();
  let last = 0;
  process.on('message', (message) => {
    const { resume: number } = resumeMessage.parse(message);
    waiting.get(number)?.();
    waiting.delete(number);
  });
  // Without a parent, no process can resume this one.
  process.once('disconnect', () => process.exit(1));
  return (failpoint) =>
    new Promise((resolve) => {
      waiting.set((last += 1), resolve);
      process.send?.({ failpoint, number: last });
    });
}
