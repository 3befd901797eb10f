import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { causeOf } from '@survey/process/cause-of.ts';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';
import { checkHealth } from '@survey/rpc/channel.ts';
import { z } from 'zod';
import { checkAuthorities, checkCertificates, checkIssuer, checkServedCertificate } from './certificates.ts';
import { concern, failedIfAny, fill, type Finding, ok, warningIf } from './finding.ts';
import { faultOf } from './known-faults.ts';

export interface DoctorOptions {
  /** Addresses of services that speak gRPC, by name. */
  readonly services: ReadonlyMap<string, string>;
  /** Probe ports of services that speak HTTP, by name. */
  readonly probes: ReadonlyMap<string, string>;
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
  /** Prometheus that should scrape the services. */
  readonly prometheusUrl: string | undefined;
  readonly prometheusSelector: string | undefined;
  /** PEM files of certificates that are all in use: this program's, and its authority's. */
  readonly certificateFiles: readonly string[];
  /** PEM file of authorities, some of which may be unused. */
  readonly authoritiesFile: string | undefined;
}

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
    probes,
    tls,
    natsUrl,
    natsMonitoringUrl,
    databaseUrl,
    poolerUrl,
    redisUrl,
    smtpUrl,
    prometheusUrl,
    prometheusSelector,
    certificateFiles,
    authoritiesFile,
  } = options;
  const [certificate, authority] = certificateFiles;
  const checks = [
    ...[...services].map(([name, address]) => guarded(name, 'NoReadyPods', () => checkService(name, address, tls))),
    ...[...probes].map(([name, address]) => guarded(name, 'NoReadyPods', () => checkProbe(name, address))),
    ...certificateFiles.map((file) => guarded(`certificate ${file}`, 'CertExpiring', () => checkCertificates(file))),
    ...(certificate === undefined || authority === undefined
      ? []
      : [guarded('certificate issuer', 'CertExpiring', () => checkIssuer(certificate, authority))]),
    ...Object.entries({ bus: natsUrl, database: databaseUrl, redis: redisUrl, 'mail server': smtpUrl }).map(([store, url]) =>
      guarded(`certificate of ${store}`, 'rotate-secrets', () => checkServedCertificate(store, url)),
    ),
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
    guarded('monitoring', 'MetricsMissing', () => checkMonitoring(prometheusUrl, prometheusSelector)),
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

async function checkProbe(name: string, address: string): Promise<Finding[]> {
  const { ok: isReady } = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!isReady) throw new Error(`is not ready at ${address}`);
  return [ok(name, `is ready at ${address}`)];
}

async function checkBus(natsUrl: string): Promise<Finding[]> {
  const { inspectBus } = await import('@survey/bus/inspect-bus.ts');
  const { OLDEST_SERVER } = await import('@survey/bus/streams.ts');
  const { serverVersion, isServerTooOld, missing, different, weakCopies, ahead, hidden, hiddenBecause, ...state } =
    await inspectBus(natsUrl);
  const findings = [ok('bus', 'accepts this user')];
  const advice = isServerTooOld ? `: it can lose what it has acknowledged, so use ${OLDEST_SERVER} or later` : '';
  findings.push(warningIf(isServerTooOld, 'bus server', `nats-server ${serverVersion}${advice}`, 'lose-a-nats-node'));
  findings.push(failedIfAny('streams and consumers missing', missing, 'run prepare'));
  findings.push(failedIfAny('streams and consumers of another version', different, 'run prepare'));
  const copies = 'a lost server takes messages with it; use nats.streamReplicas: 3, and start all servers';
  findings.push(concern('streams with too few copies', weakCopies, copies, 'lose-a-nats-node'));
  const consumersAhead = ahead.join(', ');
  if (consumersAhead !== '')
    findings.push(warningIf(true, 'consumers beyond the end of their stream', consumersAhead, 'lose-a-nats-node'));
  const unseen = `${hidden.length} that this user may not ask about, or that did not answer: ${hiddenBecause}`;
  if (hidden.length > 0) findings.push(ok('streams and consumers not seen', unseen));
  if (state.maxStoredBytes > 0) findings.push(fill('bus storage', state.storedBytes, state.maxStoredBytes, 'bytes', 'NatsDown'));
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
    failedIfAny('roles missing or with too many rights', wrongRoles, 'run prepare, or revoke attributes of'),
    fill('connections', state.connections, state.maxConnections, 'connections', 'PgPoolExhausted'),
    ...(lag === undefined
      ? []
      : [warningIf(lag > MAX_REPLICA_LAG_SECONDS, 'replica', `${lag.toFixed(1)} s behind`, 'PgReplicaStale')]),
    versionFinding('database server', 'PostgreSQL', state.serverVersion, 'database-failover'),
    concern('database durability', state.unsafeSettings, 'turn on, or a crash loses data and statistics', 'database-failover'),
    concern(
      'statistics of account_id',
      state.accountStatistics,
      'plans of one account depend on others; delete them as the changelog says, from',
      'slow-pods',
    ),
    concern('tables without statistics', state.neverAnalysed, 'PostgreSQL cannot plan queries well; run ANALYZE on', 'slow-pods'),
    concern(
      'invalid indexes',
      state.invalidIndexes,
      'slow writes and serve no read; run REINDEX INDEX CONCURRENTLY on',
      'slow-pods',
    ),
    warningIf(Math.abs(skew) > MAX_CLOCK_SKEW_SECONDS, 'clock', `PostgreSQL's differs by ${skew.toFixed(1)} s`, 'PgDown'),
  ];
}

async function checkPooler(poolerUrl: string): Promise<Finding[]> {
  const { keepsNamedStatements } = await import('@survey/postgres/inspect-database.ts');
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
    const info = `${await redis.info('server')}\n${await redis.info('memory')}`;
    const field = (name: string): string | undefined => new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1];
    const [used, max] = [Number(field('used_memory') ?? 0), Number(field('maxmemory') ?? 0)];
    const valkey = field('valkey_version');
    return [
      ok('redis', 'accepts writes of this user'),
      versionFinding(
        'redis server',
        valkey === undefined ? 'Redis' : 'Valkey',
        valkey ?? field('redis_version') ?? '0',
        'lose-redis',
      ),
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

function versionFinding(check: string, product: string, version: string, runbook: string): Finding {
  const fault = faultOf(product, version);
  const detail = `${product} ${version}`;
  return warningIf(fault !== undefined, check, fault === undefined ? detail : `${detail}: ${fault}`, runbook);
}

const SERVICES = ['gateway', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis', 'account-admin'];

const samples = z.object({ data: z.object({ result: z.array(z.object({ metric: z.object({ service: z.string() }) })) }) });
const rules = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), query: z.string() })) })) }),
});

/**
 * Asks a Prometheus whether it scrapes every service and has the alerts, both of the release that
 * the selector names, such as `namespace="survey",release="survey"`.
 * @throws when it cannot be reached
 */
async function checkMonitoring(prometheusUrl: string | undefined, selector = ''): Promise<Finding[]> {
  if (prometheusUrl === undefined) return [ok('monitoring', 'not seen: name Prometheus in PROMETHEUS_URL')];
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(new URL(path, prometheusUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}`);
    return response.json();
  };
  const pods = `count by (service) (process_cpu_seconds_total{service=~"${SERVICES.join('|')}",${selector}})`;
  const { result } = samples.parse(await ask(`/api/v1/query?query=${encodeURIComponent(pods)}`)).data;
  const scraped = new Set(result.map(({ metric }) => metric.service));
  const { groups } = rules.parse(await ask('/api/v1/rules?type=alert')).data;
  const hasAlerts = groups.some((group) =>
    group.rules.some(({ name, query }) => name === 'MetricsMissing' && query.includes(selector)),
  );
  const missing = SERVICES.filter((name) => !scraped.has(name));
  return [
    concern('services not scraped', missing, 'no alert can fire for', 'MetricsMissing'),
    warningIf(!hasAlerts, 'alerts', hasAlerts ? 'loaded' : 'Prometheus has none of the release', 'MetricsMissing'),
  ];
}
