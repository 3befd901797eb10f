import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { causeOf } from '@survey/process/cause-of.ts';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';
import { checkHealth } from '@survey/rpc/check-health.ts';

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** Name of a file in docs/runbooks, without `.md`. */
  readonly runbook?: string;
}

export interface DoctorOptions {
  /** Addresses of services that speak gRPC, by name. */
  readonly services: ReadonlyMap<string, string>;
  readonly tls: GrpcTls | undefined;
  readonly natsUrl: string | undefined;
  /** Monitoring endpoint of NATS. */
  readonly natsMonitoringUrl: string | undefined;
  /** URL for the schema owner. */
  readonly databaseUrl: string | undefined;
  /** URL of a PgBouncer, for the role of a service. */
  readonly poolerUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** PEM files of certificates that are all in use. */
  readonly certificateFiles: readonly string[];
  /** PEM file of authorities, some of which may be unused. */
  readonly authoritiesFile: string | undefined;
}

const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
const MAX_FILL = 0.85;
const MAX_REPLICA_LAG_SECONDS = 10;
const MAX_CLOCK_SKEW_SECONDS = 1;
const TIMEOUT_MS = 5_000;

/**
 * Runs all checks that the options allow, in parallel. Never throws: a check's error becomes its
 * finding.
 */
export async function runChecks(options: DoctorOptions): Promise<Finding[]> {
  const {
    services,
    tls,
    natsUrl,
    natsMonitoringUrl,
    databaseUrl,
    poolerUrl,
    redisUrl,
    smtpUrl,
    certificateFiles,
    authoritiesFile,
  } = options;
  const checks = [
    ...[...services].map(([name, address]) => guarded(name, 'NoReadyPods', () => checkService(name, address, tls))),
    ...certificateFiles.map((file) => guarded(`certificate ${file}`, 'CertExpiring', () => checkCertificates(file))),
    ...(authoritiesFile === undefined
      ? []
      : [guarded(`authorities ${authoritiesFile}`, 'CertExpiring', () => checkAuthorities(authoritiesFile))]),
    ...(natsUrl === undefined
      ? []
      : [
          guarded('bus', 'NatsDown', () => checkBus(natsUrl)),
          guarded('bus sync', 'lose-a-nats-node', () => checkSync(natsMonitoringUrl)),
        ]),
    ...(databaseUrl === undefined ? [] : [guarded('database', 'PgDown', () => checkDatabase(databaseUrl))]),
    ...(poolerUrl === undefined ? [] : [guarded('pooler', 'scale', () => checkPooler(poolerUrl))]),
    ...(redisUrl === undefined ? [] : [guarded('redis', 'RedisDown', () => checkRedis(redisUrl))]),
    ...(smtpUrl === undefined ? [] : [guarded('mail server', 'ImportMailsUndelivered', () => checkMailServer(smtpUrl))]),
    guarded('disk', 'NoReadyPods', checkDisk),
  ];
  return (await Promise.all(checks)).flat();
}

async function guarded(check: string, runbook: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [{ check, status: 'failed', detail: causeOf(error), runbook }];
  }
}

async function checkService(name: string, address: string, tls: GrpcTls | undefined): Promise<Finding[]> {
  await checkHealth(address, tls);
  return [ok(name, `serves at ${address}`)];
}

async function checkCertificates(file: string): Promise<Finding[]> {
  // Bounded: certificates in one file.
  const ends = Math.min(...(await readEnds(file)));
  const check = `certificate ${file}`;
  const detail = `valid until ${new Date(ends).toISOString()}`;
  if (ends < Date.now()) return [{ check, status: 'failed', detail: `expired: ${detail}`, runbook: 'CertExpiring' }];
  return [warningIf(ends - Date.now() < EXPIRES_SOON_MS, check, detail, 'CertExpiring')];
}

async function checkAuthorities(file: string): Promise<Finding[]> {
  const ends = await readEnds(file);
  const expiring = ends.filter((end) => end - Date.now() < EXPIRES_SOON_MS).length;
  const detail = `${expiring} of ${ends.length} have expired or do so within a week`;
  return [warningIf(expiring > 0, `authorities ${file}`, detail, 'CertExpiring')];
}

/** Returns the expiry time of each certificate in a PEM file, in milliseconds. */
async function readEnds(file: string): Promise<number[]> {
  const blocks = (await readFile(file, 'utf8')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('contains no certificate');
  return blocks.map((block) => new X509Certificate(block).validToDate.getTime());
}

async function checkBus(natsUrl: string): Promise<Finding[]> {
  const { inspectBus } = await import('@survey/bus/inspect-bus.ts');
  const { OLDEST_SERVER } = await import('@survey/bus/streams.ts');
  const { serverVersion, isServerTooOld, missing, different, ahead, hidden, storedBytes, maxStoredBytes } =
    await inspectBus(natsUrl);
  const findings = [ok('bus', 'accepts this user')];
  const advice = isServerTooOld ? `: it can lose what it has acknowledged, so use ${OLDEST_SERVER} or later` : '';
  findings.push(warningIf(isServerTooOld, 'bus server', `nats-server ${serverVersion}${advice}`, 'lose-a-nats-node'));
  findings.push(listed('streams and consumers missing', missing, 'run prepare'));
  findings.push(listed('streams and consumers of another version', different, 'run prepare'));
  const lost = ahead.join(', ');
  if (lost !== '') findings.push(warningIf(true, 'consumers beyond the end of their stream', lost, 'lose-a-nats-node'));
  if (hidden.length > 0) findings.push(ok('streams and consumers not seen', `${hidden.length} that this user may not ask about`));
  if (maxStoredBytes > 0) findings.push(fill('bus storage', storedBytes, maxStoredBytes, 'bytes', 'NatsDown'));
  return findings;
}

async function checkSync(monitoringUrl: string | undefined): Promise<Finding[]> {
  if (monitoringUrl === undefined)
    return [ok('bus sync', 'not seen: name the monitoring endpoint of NATS in NATS_MONITORING_URL')];
  const { syncsAlways } = await import('@survey/bus/inspect-bus.ts');
  const detail = 'a power cut takes what NATS acknowledged within its sync interval; set sync_interval: always';
  return (await syncsAlways(monitoringUrl))
    ? [ok('bus sync', 'each message is on the disk before it is acknowledged')]
    : [warningIf(true, 'bus sync', detail, 'lose-a-nats-node')];
}

async function checkDatabase(databaseUrl: string): Promise<Finding[]> {
  const { inspectDatabase } = await import('@survey/postgres/inspect-database.ts');
  const state = await inspectDatabase(databaseUrl);
  const { schemaMismatch: mismatch, wrongRoles, replicaLagSeconds: lag, clockSkewSeconds: skew } = state;
  return [
    mismatch === undefined
      ? ok('schema', 'that of this version')
      : { check: 'schema', status: 'failed', detail: mismatch, runbook: 'PrepareJobFailed' },
    listed('roles missing or with too many rights', wrongRoles, 'run prepare, or revoke attributes of'),
    fill('connections', state.connections, state.maxConnections, 'connections', 'PgPoolExhausted'),
    ...(lag === undefined
      ? []
      : [warningIf(lag > MAX_REPLICA_LAG_SECONDS, 'replica', `${lag.toFixed(1)} s behind`, 'PgReplicaStale')]),
    warningIf(Math.abs(skew) > MAX_CLOCK_SKEW_SECONDS, 'clock', `PostgreSQL's differs by ${skew.toFixed(1)} s`, 'PgDown'),
  ];
}

async function checkPooler(poolerUrl: string): Promise<Finding[]> {
  const { keepsNamedStatements } = await import('@survey/postgres/inspect-pooler.ts');
  if (await keepsNamedStatements(poolerUrl)) return [ok('pooler', 'keeps prepared statements')];
  const detail = 'loses prepared statements: use PgBouncer 1.21 or later and set its max_prepared_statements, such as 200';
  return [{ check: 'pooler', status: 'failed', detail, runbook: 'scale' }];
}

async function checkRedis(redisUrl: string): Promise<Finding[]> {
  const { connectRedis } = await import('@survey/process/open-redis.ts');
  const redis = connectRedis(redisUrl, {
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  // The rejected call says only that the connection is closed.
  let reason: unknown;
  redis.on('error', (error) => (reason = error));
  try {
    await redis.connect().catch((error: unknown) => Promise.reject(reason ?? error));
    // A replica and a server without memory read but do not write.
    await redis.set('surveyctl:doctor', '1', 'EX', 1);
    const memory = await redis.info('memory');
    const figure = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0);
    const [used, max] = [figure('used_memory'), figure('maxmemory')];
    return [
      ok('redis', 'accepts writes of this user'),
      ...(max === 0 ? [] : [fill('redis memory', used, max, 'bytes', 'RedisDown')]),
    ];
  } finally {
    redis.disconnect();
  }
}

// Reads the greeting only: signing in could lock the account of the sender.
async function checkMailServer(smtpUrl: string): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(smtpUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = protocol === 'smtps:';
  const options = { host, port: Number(port) || (isSecure ? 465 : 587), timeout: TIMEOUT_MS };
  const socket = isSecure ? connectTls({ ...options, servername: host }) : connect(options);
  try {
    const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!String(greeting).startsWith('220')) throw new Error('the mail server refuses connections');
    return [ok('mail server', `greets at ${host}:${options.port}`)];
  } finally {
    socket.destroy();
  }
}

async function checkDisk(): Promise<Finding[]> {
  const { blocks, bavail, bsize } = await statfs(tmpdir());
  return [fill(`disk ${tmpdir()}`, (blocks - bavail) * bsize, blocks * bsize, 'bytes', 'NoReadyPods')];
}

function listed(check: string, names: readonly string[], remedy: string): Finding {
  if (names.length === 0) return ok(check, 'none');
  return { check, status: 'failed', detail: `${remedy}: ${names.join(', ')}`, runbook: 'PrepareJobFailed' };
}

function fill(check: string, used: number, max: number, unit: string, runbook: string): Finding {
  return warningIf(used / max > MAX_FILL, check, `${used} of ${max} ${unit}`, runbook);
}

function warningIf(isWarning: boolean, check: string, detail: string, runbook: string): Finding {
  return isWarning ? { check, status: 'warning', detail, runbook } : ok(check, detail);
}

function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}
