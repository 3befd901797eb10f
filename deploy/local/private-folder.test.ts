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

  it.runIf(isRoot)('lets PostgreSQL in without capabilities when root starts it', async () => {
    await makePrivate(folder);
    const account = await postgresAccount(folder);
    const { command, args } = account.wrap('grep', ['CapAmb', '/proc/self/status']);
    expect((await run(command, args)).stdout.trim()).toBe('CapAmb:\t0000000000000000');
  });
});
