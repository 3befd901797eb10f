import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@survey/local/postgres.ts';
import { Client } from 'pg';
import { startDeliveries, type Deliveries } from './deliveries.ts';
import { copyAtOneMoment } from './copy-disk.ts';
import { makeImage, mountImage } from './mounts.ts';
import { unequalAccounts } from './unequal-accounts.ts';
import { startWholeStack, type WholeStack } from '../../test/failure/whole-stack.ts';

const IMAGE_MIB = 512;
const CUSTOMERS = 8;
const BETWEEN_CUTS_MS = 1_500;

interface PowerCuts {
  // Imports accepted before the power cut.
  readonly promised: number;
  // Imports that are missing on the disk, and accounts that differ from their last import.
  readonly lost: readonly string[];
}

/**
 * Runs PostgreSQL on a disk in a file and copies the file while customers send imports. The
 * copy equals a disk after a power cut. A server started on it must have every import accepted
 * before.
 */
export async function cutPower(folder: string, times: number, settings: Readonly<Record<string, string>>): Promise<PowerCuts> {
  const image = join(folder, 'disk.img');
  await makeImage(image, IMAGE_MIB);
  await using disk = await mountImage(join(folder, 'disk'), image);
  await using stack = await startWholeStack({ folder, postgresFolder: disk.folder, postgresSettings: settings });
  await using deliveries = await startDeliveries(stack, CUSTOMERS);
  const lost: string[] = [];
  let promised = 0;
  for (let time = 0; time < times; time += 1) {
    await sleep(BETWEEN_CUTS_MS);
    const copy = join(folder, 'copy.img');
    const known = await copyWhilePaused(stack, deliveries, image, copy);
    promised = known.length;
    lost.push(...(await missingOn(join(folder, 'copy'), copy, stack, known)).map((what) => `cut ${time + 1}: ${what}`));
    await rm(copy);
  }
  return { promised, lost };
}

async function copyWhilePaused({ postgres }: WholeStack, deliveries: Deliveries, image: string, copy: string): Promise<string[]> {
  await postgres.pause();
  try {
    // Imports accepted until here were committed before the copy.
    const known = deliveries.promised();
    await copyAtOneMoment(image, copy);
    return known;
  } finally {
    await postgres.resume();
  }
}

async function missingOn(folder: string, image: string, stack: WholeStack, known: readonly string[]): Promise<string[]> {
  await using disk = await mountImage(folder, image);
  const dataDir = join(disk.folder, 'postgres');
  // The file names the server that still runs on the original disk.
  await rm(join(dataDir, 'postmaster.pid'), { force: true });
  const superuserPassword = decodeURIComponent(new URL(stack.postgres.url).password);
  try {
    const server = await startPostgres({ dataDir, superuserPassword, log: () => {} });
    try {
      return await missing(server.url, known);
    } finally {
      await server.stop();
    }
  } catch (error) {
    // All its accepted imports are lost.
    return [`PostgreSQL does not start: ${String(error).split('\n')[0]}`];
  }
}

async function missing(serverUrl: string, known: readonly string[]): Promise<string[]> {
  const url = new URL(serverUrl);
  url.pathname = 'survey';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ import_uuid: string }>(
      `select i.import_uuid from imports.import i
       where i.state = 'applied' or exists (select from imports.payload p where p.import_uuid = i.import_uuid)`,
    );
    const there = new Set(rows.map(({ import_uuid }) => import_uuid));
    return [
      ...known.filter((importUuid) => !there.has(importUuid)).map((importUuid) => `import ${importUuid} is not there`),
      ...(await unequalAccounts(client)).map((accountId) => `account ${accountId} differs from its last import`),
    ];
  } finally {
    await client.end();
  }
}
