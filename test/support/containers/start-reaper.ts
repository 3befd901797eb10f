import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const REAPER = fileURLToPath(new URL('reaper.ts', import.meta.url));

/**
 * Starts the process that removes all containers of a run: when `reap` requests it, or when this
 * process exits without doing so, even by kill -9.
 */
export function startReaper(run: string): { reap: () => Promise<void> } {
  // Its own process group, so that Ctrl-C does not end it before the cleanup.
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
