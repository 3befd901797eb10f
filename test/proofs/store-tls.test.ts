import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
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
import { TestCertificates } from '../support/test-certificates.ts';
import { onDay } from '../support/year-log.ts';
import { runTool } from '../support/chart/run-tool.ts';
import { obtainProgram } from '../support/processes.ts';
import { reportSkipped } from '../support/skipped.ts';
import { FaultyProcess } from '../failure/faulty-process.ts';

// PostgreSQL, NATS and Redis have certificates of a private authority, which the gateway trusts
// or does not trust.
const folder = await mkdtemp(join(tmpdir(), 'survey-store-tls-'));
const closing = new AsyncDisposableStack();
closing.defer(() => rm(folder, { recursive: true, force: true }));
afterAll(() => closing.disposeAsync());

const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
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

/** Returns a gateway that trusts this authority. */
async function gatewayOf(
  authority: string,
  { database, nats, redis }: Urls,
  logFile?: string,
  clock = {},
): Promise<FaultyProcess> {
  const environment = {
    ...clock,
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
  return new FaultyProcess({ service: 'gateway', environment, logFile });
}

async function reachedBy({ probeAddress }: FaultyProcess): Promise<string[]> {
  const metrics = await (await fetch(`http://${probeAddress}/metrics`)).text();
  return METRICS.filter((name) => new RegExp(`^${name}(\\{.*\\})? 1$`, 'm').test(metrics));
}

/** Returns which of PostgreSQL, NATS and Redis a gateway that trusts this authority reaches. */
async function reached(authority: string, urls: Urls, logFile?: string): Promise<string[]> {
  await using gateway = await gatewayOf(authority, urls, logFile);
  await gateway.start();
  const deadline = Date.now() + SETTLED_MS;
  for (;;) {
    const is = await reachedBy(gateway);
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
  probes: new Map(),
  tls: undefined,
  natsUrl: undefined,
  natsMonitoringUrl: undefined,
  databaseUrl: undefined,
  poolerUrl: undefined,
  redisUrl: undefined,
  smtpUrl: undefined,
  prometheusUrl: undefined,
  prometheusSelector: undefined,
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
    // Redis also shows its authority.
    const ofRedis = redisServer && { 'certificate of redis': 'warning', 'authority of redis': 'warning' };
    // A check that takes too long on a busy machine has fewer findings.
    await expect
      .poll(async () => {
        const findings = await runChecks({ ...nothing, databaseUrl: database, natsUrl: nats, redisUrl: redisServer && redis });
        const asked = findings.filter(({ check }) => /^(certificate|authority) of |^database durability$/.test(check));
        return Object.fromEntries(asked.map(({ check, status }) => [check, status]));
      })
      .toEqual({
        'certificate of bus': 'warning',
        'certificate of database': 'warning',
        'database durability': 'ok',
        ...ofRedis,
      });
  });
});

// The clock of the gateway and of openssl moves; PostgreSQL shows whatever certificate it has.
const FAKETIME = fileURLToPath(new URL('../../.local/tools/libfaketime.so', import.meta.url));
if (!existsSync(FAKETIME)) reportSkipped('store-tls', 'a year of certificates: `.ci/tools` brings libfaketime');

describe.skipIf(!existsSync(FAKETIME))('a year with certificates of 90 days', { timeout: 300_000 }, () => {
  const moved = { LD_PRELOAD: FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const admin = new Client({ connectionString: postgres.url });
  closing.defer(() => admin.end());

  async function renew(day: number, authority: string): Promise<void> {
    new TestCertificates(folder, 90, { ...moved, FAKETIME: `+${day}d` }).make('store', 'DNS:localhost', authority);
    await writeFile(at('postgres.key'), await readFile(at('store.key')));
    await admin.query('select pg_reload_conf()');
  }

  // Connections end now and then, and only a new one looks at the certificate.
  async function goTo(day: number): Promise<void> {
    await writeFile(at('clock'), `+${day}d\n`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
                       where backend_type = 'client backend' and pid <> pg_backend_pid()`);
  }

  async function trust(...authorities: string[]): Promise<void> {
    await writeFile(at('trusted.crt'), (await Promise.all(authorities.map((one) => readFile(at(`${one}.crt`))))).join('\n'));
  }

  async function statusAt(day: number): Promise<string | undefined> {
    const stores = { ACCOUNT_ADMIN_ADDRESS: '127.0.0.1:1', DATABASE_URL: databaseUrl('trusted', 'verify-full') };
    const env = { ...moved, FAKETIME: `+${day}d`, ...stores };
    const { stdout } = await runTool(process.execPath, [SURVEYCTL, 'doctor', '--json'], { env, isMemoryLimited: false });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] };
    return findings.find(({ check }) => check === 'certificate of database')?.status;
  }

  it('reaches PostgreSQL through renewals and a change of authority, and after an expiry', async () => {
    await admin.connect();
    for (const authority of ['first', 'second']) new TestCertificates(folder, 3_650).makeAuthority(authority);
    await trust('first');
    await renew(0, 'first');
    await writeFile(at('clock'), '+0d\n');
    const clock = { ...moved, FAKETIME_TIMESTAMP_FILE: at('clock'), FAKETIME_CACHE_DURATION: '1' };
    await using gateway = await gatewayOf('trusted', encrypted('trusted'), at('year.log'), clock);
    await gateway.start();
    const isUp = async (): Promise<boolean> => (await reachedBy(gateway)).includes('database_up');
    const becomes = (up: boolean) => expect.poll(isUp, { timeout: 30_000 }).toBe(up);
    await becomes(true);
    // As cert-manager does: after two thirds of their life.
    for (const day of [60, 120, 180, 240, 300, 360]) {
      await renew(day, 'first');
      await goTo(day);
      await becomes(true);
      onDay(day, "PostgreSQL's certificate of 90 days is renewed by the same authority: services reach it without a restart");
    }
    expect([await statusAt(420), await statusAt(445), await statusAt(451)]).toEqual(['ok', 'warning', 'failed']);
    await goTo(451);
    await becomes(false);
    expect(await readFile(at('year.log'), 'utf8')).toContain('CERT_HAS_EXPIRED');
    onDay(445, 'surveyctl doctor warns that the certificate of PostgreSQL ends, which nobody renews');
    onDay(451, 'the certificate has ended: services log CERT_HAS_EXPIRED and do not reach PostgreSQL');
    await renew(451, 'first');
    await becomes(true);
    onDay(451, 'a new certificate: services reach PostgreSQL without a restart');
    // The steps of rotate-secrets.md.
    await trust('first', 'second');
    await gateway.restart();
    await renew(460, 'second');
    await goTo(460);
    await becomes(true);
    await trust('second');
    await gateway.restart();
    await becomes(true);
    onDay(460, 'another authority signs, by rotate-secrets.md: both are trusted, then the second alone; no expiry in between');
  });
});
