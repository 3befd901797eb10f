import { access, chown, constants, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresAccount } from '@survey/local/account.ts';
import { findProgram } from '@survey/local/find-program.ts';
import { reservePort } from '@survey/local/ports.ts';
import { launchStore } from '@survey/local/store.ts';
import { Client } from 'pg';
import type { OpenPooler } from './stack.ts';

const BROUGHT = fileURLToPath(new URL('../../.local/tools/pgbouncer', import.meta.url));

/** The program from `.ci/tools` or this machine; undefined without one. */
export async function findPgBouncer(): Promise<string | undefined> {
  return access(BROUGHT, constants.X_OK).then(
    () => BROUGHT,
    () => findProgram('pgbouncer'),
  );
}

/**
 * Starts a PgBouncer in transaction mode, configured as in
 * deploy/examples/cloudnative-pg-pooler.yaml, in front of a stack's database. `connections` per
 * role are few, so that clients share them. Without `preparedStatements` it treats their names as
 * versions before 1.21 do.
 */
export function pgBouncerBefore(
  program: string,
  connections: number,
  preparedStatements = 200,
  ignoredParameters = 'statement_timeout,idle_in_transaction_session_timeout,extra_float_digits',
): OpenPooler {
  return async (database, { rolePasswords, folder }) => {
    const account = await postgresAccount();
    const port = await reservePort();
    const own = join(folder, database.name, `pgbouncer-${port}`);
    await mkdir(own, { recursive: true, mode: 0o700 });
    const users = Object.entries(rolePasswords).map(([role, password]) => `"${role}" "${password}"\n`);
    await writeFile(join(own, 'users.txt'), users.join(''), { mode: 0o600 });
    await writeFile(
      join(own, 'pgbouncer.ini'),
      settings(new URL(database.url), { port, connections, preparedStatements, ignoredParameters, own }),
    );
    for (const file of ['', 'users.txt', 'pgbouncer.ini']) await chown(join(own, file), account.uid, account.gid);
    const url = new URL(database.url);
    url.port = String(port);
    const [role = '', password = ''] = Object.entries(rolePasswords)[0] ?? [];
    const probe = (): Promise<void> => connects(Object.assign(new URL(url), { username: role, password }).href);
    const command = account.wrap(program, [join(own, 'pgbouncer.ini')]);
    return launchStore({ name: 'PgBouncer', command, logFile: `${own}.log`, url: url.href, port, probe });
  };
}

interface Pooler {
  readonly port: number;
  readonly connections: number;
  readonly preparedStatements: number;
  readonly ignoredParameters: string;
  readonly own: string;
}

function settings(
  { hostname, port: upstream }: URL,
  { port, connections, preparedStatements, ignoredParameters, own }: Pooler,
): string {
  return `[databases]
* = host=${hostname} port=${upstream}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(own, 'users.txt')}
pool_mode = transaction
max_client_conn = 2000
default_pool_size = ${connections}
max_prepared_statements = ${preparedStatements}
ignore_startup_parameters = ${ignoredParameters}
`;
}

async function connects(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}
