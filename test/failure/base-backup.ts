import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { FaultyStore } from './faulty-store.ts';

const run = promisify(execFile);

/** A server's data directory, the folder of its archived log, and the folder of its backup. */
interface BackedUp {
  readonly server: FaultyStore;
  readonly data: string;
  readonly archive: string;
  readonly backup: string;
}

/** Returns the settings of a server whose log is archived. */
export const archiving = (archive: string): Readonly<Record<string, string>> => ({
  archive_mode: 'on',
  archive_command: `cp %p ${archive}/%f`,
});

/**
 * Copies the data directory of the running server, without its log, and names the point after which
 * commits are lost.
 */
export async function backUp({ server, data, backup }: BackedUp, point: string): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    // A backup ends with the session that began it.
    await client.query(`select pg_backup_start('test', true)`);
    await mkdir(join(backup, 'pg_wal'), { recursive: true });
    const copied = (await readdir(data)).filter((name) => !['pg_wal', 'postmaster.pid'].includes(name));
    await run('cp', ['--archive', ...copied.map((name) => join(data, name)), backup]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await writeFile(join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
    await client.query('select pg_create_restore_point($1)', [point]);
  } finally {
    await client.end();
  }
}

/** Kills the server, and restores its backup up to the point. Later commits are lost. */
export async function restore({ server, data, archive, backup }: BackedUp, point: string): Promise<void> {
  await untilArchived(server);
  await server.kill();
  const recovery = [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_name = '${point}'`,
    `recovery_target_action = 'promote'`,
  ];
  await writeFile(join(backup, 'postgresql.auto.conf'), `${recovery.join('\n')}\n`);
  await writeFile(join(backup, 'recovery.signal'), '');
  await run('chown', ['--recursive', `--reference=${data}`, backup]);
  await run('chmod', [`--reference=${data}`, backup]);
  await rm(data, { recursive: true });
  await run('mv', [backup, data]);
  await server.start();
}

async function untilArchived(server: FaultyStore): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    // Ends the segment of the last commit. pg_backup_stop waits until everything is archived.
    await client.query(`select pg_backup_start('archived', true)`);
    await client.query('select pg_backup_stop()');
  } finally {
    await client.end();
  }
}
