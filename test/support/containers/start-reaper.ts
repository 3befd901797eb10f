import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const REAPER = fileURLToPath(new URL('reaper.ts', import.meta.url));

/**
 * Starts the process that removes all containers of a run: when asked by `reap`, which waits for it, or when this process ends without
 * asking, even by a kill -9.
 */
export function startReaper(run: string): { reap: () => Promise<void> } {
  // A process group of its own: Ctrl-C does not reach it, and it has work to do just then.
  const reaper = spawn(process.execPath, [REAPER, run], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(reaper, 'exit');
  reaper.unref();
  return {
    reap: async () => {
      reaper.ref();
      reaper.stdin.end('reap');
      const [code] = await ended;
      if (code !== 0) throw new Error(`containers of this run are left: docker ps --all --filter label=survey.test.run`);
    },
  };
}
