import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postgresAccount } from './account.ts';
import { makePrivate } from './private-folder.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'survey-private-'));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the folder of npm start', () => {
  it('is closed to all other users even if it was open before', async () => {
    await makePrivate(folder);
    const { mode, uid } = await stat(folder);
    expect([mode & 0o777, uid]).toEqual([isRoot ? 0o710 : 0o700, process.getuid?.()]);
  });

  it.runIf(isRoot)('needs no more capabilities of PostgreSQL than an open one when root starts it', async () => {
    await makePrivate(folder);
    // The checkout itself may be in a folder that only root can enter.
    expect(await capabilitiesFor(folder)).toBe(await capabilitiesFor('/'));
  });
});

async function capabilitiesFor(entered: string): Promise<string> {
  const account = await postgresAccount(entered);
  const { command, args } = account.wrap('grep', ['CapAmb', '/proc/self/status']);
  return (await run(command, args)).stdout;
}
