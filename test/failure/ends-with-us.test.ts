import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const HELPER = fileURLToPath(new URL('../support/ends-with-us.ts', import.meta.url));

// Starts a child that sleeps, and prints its process id.
const PROGRAM = `
import { spawn } from 'node:child_process';
import { endsWithUs } from ${JSON.stringify(HELPER)};
console.log(endsWithUs(spawn('sleep', ['600'])).pid);
setInterval(() => {}, 1_000);
`;

async function startParent(): Promise<{ parent: ChildProcess; child: number }> {
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const child = Number(line);
  onTestFinished(() => {
    if (isRunning(child)) process.kill(child, 'SIGKILL');
  });
  return { parent, child };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each(['SIGTERM', 'SIGKILL'] as const)('a paused process ends with a parent that is ended by %s', async (signal) => {
  const { parent, child } = await startParent();
  process.kill(child, 'SIGSTOP');
  expect(isRunning(child)).toBe(true);
  parent.kill(signal);
  await expect.poll(() => isRunning(child)).toBe(false);
});
