import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../programs/start-and-stop.ts', import.meta.url));

it('leaves nothing behind that keeps a process alive once all services have stopped', async () => {
  const server = JSON.stringify(inject('postgres'));
  // Killed, and so rejected, when it has not exited by itself.
  const { stdout } = await run(process.execPath, [PROGRAM, server], { timeout: 45_000, killSignal: 'SIGKILL' });
  expect(stdout.trim().split('\n')).toEqual([...Array.from({ length: 6 }, () => '200 ok'), '401', 'stopped']);
});
