import type { LocalStack } from '../address.ts';
import { findAccountAdmin, type ConnectionOptions } from '../find-account-admin.ts';
import type { DoctorOptions } from './checks.ts';

const SERVICES = ['export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'];
const HTTP_SERVICES = ['gateway', 'console'];

/**
 * Returns what the environment, the options and, unless they name another account-admin, the stack
 * of `npm start` allow to check.
 * @throws when no account-admin is named and no stack runs here
 */
export async function readDoctorOptions(
  connection: ConnectionOptions,
  nats?: string,
): Promise<DoctorOptions & { readonly localStack: LocalStack | undefined }> {
  const {
    GRPC_CERT_FILE,
    GRPC_CA_FILE,
    NODE_EXTRA_CA_CERTS,
    DATABASE_URL,
    DATABASE_POOLER_URL,
    NATS_URL,
    NATS_MONITORING_URL,
    REDIS_URL,
    SMTP_URL,
    PROMETHEUS_URL,
    PROMETHEUS_SELECTOR,
  } = process.env;
  const { address, tls, localStack } = await findAccountAdmin(connection);
  const addressOf = (service: string): [string, string][] => {
    const address = unlessEmpty(process.env[addressVariable(service)]) ?? localStack?.services[service]?.serve;
    return address === undefined ? [] : [[service, address]];
  };
  return {
    localStack,
    services: new Map([['account-admin', address], ...SERVICES.flatMap(addressOf)]),
    probes: new Map(HTTP_SERVICES.flatMap((name) => probeOf(name, localStack))),
    tls,
    natsMonitoringUrl: unlessEmpty(NATS_MONITORING_URL),
    natsUrl: nats ?? unlessEmpty(NATS_URL) ?? localStack?.nats_url,
    databaseUrl: unlessEmpty(DATABASE_URL) ?? localStack?.database_url,
    poolerUrl: unlessEmpty(DATABASE_POOLER_URL),
    redisUrl: unlessEmpty(REDIS_URL) ?? localStack?.redis_url,
    smtpUrl: unlessEmpty(SMTP_URL),
    prometheusUrl: unlessEmpty(PROMETHEUS_URL),
    prometheusSelector: unlessEmpty(PROMETHEUS_SELECTOR),
    certificateFiles: [tls?.certFile ?? unlessEmpty(GRPC_CERT_FILE), tls?.caFile ?? unlessEmpty(GRPC_CA_FILE)].flatMap(
      (file) => file ?? [],
    ),
    authoritiesFile: unlessEmpty(NODE_EXTRA_CA_CERTS),
  };
}

// EXPORT_ADDRESS and the like.
const addressVariable = (service: string): string => `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;

function probeOf(service: string, localStack: LocalStack | undefined): [string, string][] {
  const probe = localStack?.services[service]?.probe;
  return probe === undefined ? [] : [[service, probe]];
}

function unlessEmpty(variable: string | undefined): string | undefined {
  return variable === '' ? undefined : variable;
}
