import { execFile } from 'node:child_process';
import { open, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FaultyStore } from '../../test/failure/faulty-store.ts';
import { none, type Goal } from './goals.ts';
import { mountMemory } from './mounts.ts';
import { somethingToRead } from './read-fixture.ts';
import { underLoad, rejected, wrong, type Outage, type SeenAround } from './under-load.ts';
import { unequalAccounts } from './unequal-accounts.ts';
import { startWholeStack, type WholeStack } from '../../test/failure/whole-stack.ts';

const run = promisify(execFile);
const DISK_MIB = 600;
const BUS_DISK_MIB = 128;
// Larger than the remaining space.
const EMPLOYEES = 2_000;
// Production settings, with files that fit on a small disk.
const SMALL_FILES = { max_wal_size: '64MB', min_wal_size: '32MB' };

interface DiskFull {
  readonly folder: string;
  readonly forMs: number;
}

/**
 * Disk full for tables and indexes. Reads continue, writes are atomic and resume with free
 * space.
 */
export async function fillData({ folder, forMs }: DiskFull): Promise<Goal[]> {
  await using disk = await mountMemory(join(folder, 'disk'), DISK_MIB);
  await using stack = await startWholeStack({
    folder,
    postgresFolder: disk.folder,
    postgresSettings: SMALL_FILES,
    arrange: moveLog(disk.folder, folder),
  });
  const readable = await somethingToRead(stack);
  // Facts have changed the demo account since its import.
  const before = await unequalAccounts(stack.db);
  const outage = { name: 'data', begin: () => fill(disk.folder), end: () => free(disk.folder) };
  const seen = await underLoad(stack, readable, outage, { forMs, people: EMPLOYEES });
  const what = `PostgreSQL's disk full for ${forMs / 1_000} s`;
  const all = [seen.away, seen.after];
  return [
    none(`${what}: reads other than 200`, all.flatMap(rejected).length, `of ${all.flatMap(({ reads }) => reads).length}`),
    none(`${what}: wrong answers`, all.flatMap((one) => wrong(one, readable)).length),
    ...(await nothingLost(what, stack, seen, before)),
  ];
}

/** Disk full for the log, which stops PostgreSQL. It is restarted once there is free space. */
export async function fillLog({ folder, forMs }: DiskFull): Promise<Goal[]> {
  await using disk = await mountMemory(join(folder, 'log'), DISK_MIB);
  await using stack = await startWholeStack({ folder, postgresSettings: SMALL_FILES, arrange: moveLog(folder, disk.folder) });
  const readable = await somethingToRead(stack);
  // Facts have changed the demo account since its import.
  const before = await unequalAccounts(stack.db);
  const end = async (): Promise<void> => {
    await free(disk.folder);
    await stack.postgres.start();
  };
  const seen = await underLoad(
    stack,
    readable,
    { name: 'log', begin: () => fill(disk.folder), end },
    { forMs, people: EMPLOYEES },
  );
  const what = `the disk of pg_wal full for ${forMs / 1_000} s, PostgreSQL restarted`;
  const all = [seen.away, seen.after];
  return [
    none(`${what}: wrong answers`, all.flatMap((one) => wrong(one, readable)).length),
    ...(await nothingLost(what, stack, seen, before)),
  ];
}

/** Disk full for streams. */
export async function withFullBus(
  { folder, forMs }: DiskFull,
  measure: (stack: WholeStack, outage: Outage) => Promise<Goal[]>,
): Promise<Goal[]> {
  await using disk = await mountMemory(join(folder, 'disk'), BUS_DISK_MIB);
  await using stack = await startWholeStack({ folder, natsFolder: disk.folder });
  const outage: Outage = {
    name: `NATS' disk full for ${forMs / 1_000} s`,
    begin: () => fill(disk.folder),
    end: () => free(disk.folder),
  };
  return await measure(stack, outage);
}

async function nothingLost(
  what: string,
  { db }: WholeStack,
  { away, after }: SeenAround,
  before: readonly number[],
): Promise<Goal[]> {
  const [during, afterwards] = [away.imports, after.imports];
  const promised = [...during, ...afterwards].filter(({ status }) => status === 202);
  const lost = promised.filter(({ endedMs }) => endedMs === undefined);
  const taken = afterwards.filter(({ status }) => status === 202).length;
  return [
    {
      what: `${what}: affected imports`,
      figure: during.filter(({ status, endedMs = Infinity }) => status !== 202 || endedMs > 2_000).length,
      unit: '',
      target: { atLeast: 1 },
      anchor: `of ${during.length}`,
    },
    none(`${what}: accepted imports that were not applied`, lost.length, `of ${promised.length}`),
    none(
      `${what}: accounts with a partial import`,
      (await unequalAccounts(db)).filter((accountId) => !before.includes(accountId)).length,
    ),
    {
      what: `${what}: imports accepted once there is free space`,
      figure: taken,
      unit: '',
      target: { atLeast: 1 },
      anchor: `of ${afterwards.length}`,
    },
  ];
}

const ballast = (folder: string): string => join(folder, 'ballast');

async function fill(folder: string): Promise<void> {
  const file = await open(ballast(folder), 'w');
  try {
    for (const size of [2 ** 20, 4_096]) {
      const block = Buffer.alloc(size);
      while (await hasRoomFor(() => file.write(block)));
    }
  } finally {
    await file.close();
  }
}

async function hasRoomFor(write: () => Promise<{ bytesWritten: number }>): Promise<boolean> {
  try {
    return (await write()).bytesWritten > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}

const free = (folder: string): Promise<void> => rm(ballast(folder));

// Separate disks for data and log, because a full one has different effects.
const moveLog =
  (from: string, to: string) =>
  async (postgres: FaultyStore): Promise<void> => {
    const [log, moved] = [join(from, 'postgres', 'pg_wal'), join(to, 'pg_wal')];
    await postgres.kill();
    await run('cp', ['-a', log, moved]);
    await rename(log, `${log}.old`);
    await rm(`${log}.old`, { recursive: true });
    await symlink(moved, log);
    await postgres.start();
  };
