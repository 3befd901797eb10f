import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { rotateLog } from './rotate-log.ts';
import { launchStore } from './store.ts';

const MAX_BYTES = 100_000;
const LINE = `${'x'.repeat(99)}\n`;
const WRITER = `process.on('SIGTERM', () => process.exit()); setInterval(() => process.stdout.write(${JSON.stringify(LINE)}.repeat(10)), 1)`;

it('keeps the log of a running store small, with whole lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'survey-logs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const logFile = join(folder, 'store.log');
  const command = { command: process.execPath, args: ['-e', WRITER] };
  const store = await launchStore({ name: 'writer', command, logFile, url: '', port: 0, probe: () => Promise.resolve() });
  onTestFinished(() => store.stop());
  for (let rotations = 0; rotations < 2;) {
    await sleep(10);
    const { size } = await stat(logFile);
    await rotateLog(logFile, MAX_BYTES);
    if (size > MAX_BYTES) rotations += 1;
  }
  await expect.poll(async () => (await stat(logFile)).size).toBeGreaterThan(0);
  await store.stop();
  const rotated = await readFile(`${logFile}.1`, 'utf8');
  expect(rotated.length).toBeGreaterThan(MAX_BYTES);
  // A file that was not opened for appending would begin with as many zeros as it had bytes.
  const log = await readFile(logFile, 'utf8');
  expect(log.replaceAll(LINE, '')).toBe('');
});
