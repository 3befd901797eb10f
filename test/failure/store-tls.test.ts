import { chmod, chown, copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresAccount } from '@survey/local/account.ts';
import { findProgram } from '@survey/local/find-program.ts';
import { NATS } from '@survey/local/nats.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { reservePort } from '@survey/local/ports.ts';
import { surveyDatabase } from '@survey/local/database.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { supervise } from '@survey/local/supervise.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { type DoctorOptions, runChecks } from '../../clients/surveyctl/src/doctor/checks.ts';
import { TestCertificates } from '@survey/process/test-certificates.ts';
import { obtainProgram } from '../support/processes.ts';
import { reportSkipped } from '../support/skipped.ts';
import { FaultyProcess } from './faulty-process.ts';

// PostgreSQL, NATS and Redis have certificates of a private authority, which the gateway trusts
// or does not trust.
const folder = await mkdtemp(join(tmpdir(), 'survey-store-tls-'));
const closing = new AsyncDisposableStack();
closing.defer(() => rm(folder, { recursive: true, force: true }));
afterAll(() => closing.disposeAsync());

const at = (name: string): string => join(folder, name);
const certificates = new TestCertificates(folder);
for (const authority of ['ca', 'other']) certificates.makeAuthority(authority);
certificates.make('store', 'DNS:localhost');
// PostgreSQL rejects a key that other users can read.
const { uid, gid } = await postgresAccount();
await chmod(folder, 0o755);
await copyFile(at('store.key'), at('postgres.key'));
await chmod(at('postgres.key'), 0o600);
await chown(at('postgres.key'), uid, gid);

const [natsPort, redisPort] = [await reservePort(), await reservePort()];
const superuserPassword = 'tls';
const settings = { ssl: 'on', ssl_cert_file: at('store.crt'), ssl_key_file: at('postgres.key') };
const postgres = await startPostgres({ dataDir: at('postgres'), settings, superuserPassword, log: () => {} });
closing.defer(() => postgres.stop());
// Services need the schema to start.
const { rolePasswords } = await loadSecrets(at('secrets.json'));
const surveyUrl = await surveyDatabase(postgres.url);
await migrate({ databaseUrl: surveyUrl, rolePasswords });

async function serve(name: string, command: string, ...args: string[]): Promise<void> {
  const log = await open(at(`${name}.log`), 'w');
  const program = supervise({ command, args, output: log.fd });
  closing.defer(async () => {
    await program.stop(5_000);
    await log.close();
  });
}
const tls = `cert_file: ${JSON.stringify(at('store.crt'))}, key_file: ${JSON.stringify(at('store.key'))}`;
await writeFile(at('nats.conf'), `listen: "127.0.0.1:${natsPort}"\ntls { ${tls} }\n`);
await serve('nats', await obtainProgram(NATS), '--config', at('nats.conf'));
const redisTls = ['--tls-cert-file', at('store.crt'), '--tls-key-file', at('store.key'), '--tls-ca-cert-file', at('ca.crt')];
const redisArguments = ['--port', '0', '--tls-port', String(redisPort), ...redisTls, '--tls-auth-clients', 'no', '--save', ''];
// The server of the wheel has no TLS.
const redisServer = await findProgram('redis-server');
if (redisServer === undefined) reportSkipped('store-tls', 'TLS to Redis: redis-server is not on the PATH');
else await serve('redis', redisServer, ...redisArguments);

interface Urls {
  readonly database: string;
  readonly nats: string;
  readonly redis: string;
}

/** Returns whether a gateway that trusts this authority reaches PostgreSQL, NATS and Redis. */
async function reached(authority: string, { database, nats, redis }: Urls, logFile?: string): Promise<string[]> {
  const environment = {
    DATABASE_URL: database,
    NATS_URL: nats,
    REDIS_URL: redis,
    NODE_EXTRA_CA_CERTS: at(`${authority}.crt`),
    LOG_LEVEL: logFile === undefined ? 'silent' : 'warn',
    HTTP_LISTEN: `127.0.0.1:${await reservePort()}`,
    PROBE_LISTEN: `127.0.0.1:${await reservePort()}`,
    ...Object.fromEntries(
      ['EXPORT', 'IMPORT_RECONCILER', 'SCORING_ANONYMITY', 'TEXT_ANALYSIS'].map((name) => [`${name}_ADDRESS`, '127.0.0.1:1']),
    ),
  };
  await using gateway = new FaultyProcess({ service: 'gateway', environment, logFile });
  await gateway.start();
  const deadline = Date.now() + SETTLED_MS;
  for (;;) {
    const metrics = await (await fetch(`http://${gateway.probeAddress}/metrics`)).text();
    const is = METRICS.filter((name) => new RegExp(`^${name}(\\{.*\\})? 1$`, 'm').test(metrics));
    if (is.length === METRICS.length || Date.now() > deadline) return is;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// Maximum time for reachable servers to connect.
const SETTLED_MS = 6_000;
const METRICS = ['database_up', 'bus_connected', ...(redisServer === undefined ? [] : ['redis_connected'])];

const byName = (url: string): string => url.replace('127.0.0.1', 'localhost');
const byAddress = (url: string): string => url.replace('localhost', '127.0.0.1');
const databaseUrl = (authority: string, mode: string): string =>
  `${byName(surveyUrl)}?sslmode=${mode}&sslrootcert=${at(`${authority}.crt`)}`;
const nothing: DoctorOptions = {
  services: new Map(),
  tls: undefined,
  natsUrl: undefined,
  natsMonitoringUrl: undefined,
  databaseUrl: undefined,
  poolerUrl: undefined,
  redisUrl: undefined,
  smtpUrl: undefined,
  prometheusUrl: undefined,
  certificateFiles: [],
  authoritiesFile: undefined,
};
const encrypted = (authority: string): Urls => ({
  database: databaseUrl(authority, 'verify-full'),
  nats: `tls://localhost:${natsPort}`,
  redis: `rediss://localhost:${redisPort}`,
});

describe.concurrent('TLS to PostgreSQL, NATS and Redis', { timeout: 60_000 }, () => {
  it('connects when their authority is trusted', async () => {
    expect(await reached('ca', encrypted('ca'))).toEqual(METRICS);
  });

  it('fails when another authority is trusted, and logs why for each store', async () => {
    expect(await reached('other', encrypted('other'), at('untrusted.log'))).toEqual([]);
    const log = await readFile(at('untrusted.log'), 'utf8');
    const reason = /self-signed certificate|unable to verify|unable to get local issuer/;
    const told = log.split('\n').filter((line) => reason.test(line) && /"code":"[A-Z_]+"/.test(line));
    const stores = ['database', 'bus', ...(redisServer === undefined ? [] : ['redis'])];
    expect(
      stores.filter((store) =>
        told.some((line) => line.includes(`${store} is unavailable`) || line.includes(`${store} unavailable`)),
      ),
    ).toEqual(stores);
  });

  it('fails in the clients of PostgreSQL and Redis when the certificate has another name', async () => {
    const { database, redis } = encrypted('ca');
    // The NATS client supports host names only.
    const nats = 'nats://127.0.0.1:1';
    expect(await reached('ca', { database: byAddress(database), nats, redis: byAddress(redis) })).toEqual([]);
  });

  it('is required when NATS and Redis demand it', async () => {
    const { database } = encrypted('ca');
    const inTheClear = { database, nats: `nats://127.0.0.1:${natsPort}`, redis: `redis://127.0.0.1:${redisPort}` };
    // The NATS client switches to TLS when the server demands it.
    expect(await reached('other', { ...inTheClear, database })).toEqual(['database_up']);
  });

  it('shows surveyctl doctor when certificates and authorities expire, even of those that are not trusted', async () => {
    const { database, nats, redis } = encrypted('ca');
    const findings = await runChecks({ ...nothing, databaseUrl: database, natsUrl: nats, redisUrl: redisServer && redis });
    const expiring = findings.filter(({ check }) => /^(certificate|authority) of /.test(check));
    expect(expiring.map(({ check, status }) => [check, status])).toEqual(
      ['bus', 'database', ...(redisServer === undefined ? [] : ['redis'])].map((store) => [`certificate of ${store}`, 'warning']),
    );
    expect(findings.find(({ check }) => check === 'database durability')).toMatchObject({ status: 'ok' });
  });
});
