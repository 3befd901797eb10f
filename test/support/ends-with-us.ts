import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills a child process when this one ends, however it ends: a killed process runs no handlers, and
 * vitest kills its workers. A paused child ends as well.
 */
export function endsWithUs<T extends ChildProcess>(child: T): T {
  // Reads a pipe that this process holds. Its own group: Ctrl-C reaches only this process.
  const keeper = spawn('sh', ['-c', 'read -r _; kill -s KILL "$1"', 'sh', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.once('exit', () => keeper.kill('SIGKILL'));
  return child;
}
