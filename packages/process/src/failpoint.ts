import { z } from 'zod';

type FailpointHandler = (name: string) => Promise<void>;

let reach: FailpointHandler | undefined;

/**
 * Marks a named step of something that must survive a crash. Does nothing, but in a process that
 * tests have started with FAILPOINTS=on: that one tells its parent which step it has reached and
 * waits there for leave, so that it can be killed or paused exactly there.
 */
export function failpoint(name: string): Promise<void> | undefined {
  return reach?.(name);
}

/** Looks at FAILPOINTS, once for the process. Throws where tests have no business. */
export function enableFailpoints({
  FAILPOINTS,
  NODE_ENV,
}: {
  FAILPOINTS?: 'on' | undefined;
  NODE_ENV?: string | undefined;
}): void {
  if (FAILPOINTS === undefined) return;
  if (NODE_ENV === 'production') throw new Error('FAILPOINTS is for tests alone: unset it');
  if (!process.connected) throw new Error('FAILPOINTS needs a parent that listens (IPC): unset it');
  reach = askParent();
}

const resumeMessage = z.object({ resumeMessage: z.int() });

function askParent(): FailpointHandler {
  const waiting = new Map<number, () => void>();
  let last = 0;
  process.on('message', (message) => {
    const { resumeMessage: number } = resumeMessage.parse(message);
    waiting.get(number)?.();
    waiting.delete(number);
  });
  // Nobody is left to give leave.
  process.once('disconnect', () => process.exit(1));
  return (failpoint) =>
    new Promise((resolve) => {
      waiting.set((last += 1), resolve);
      process.send?.({ failpoint, number: last });
    });
}
