import { findNatsUrl } from '../address.ts';
import { findAccountAdmin, type ConnectionOptions } from '../find-account-admin.ts';
import type { DoctorOptions } from './checks.ts';

const SERVICES = ['export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'];

/**
 * Returns what the environment and the options allow to check.
 * @throws when no account-admin is named and no stack runs here
 */
export async function readDoctorOptions(connection: ConnectionOptions, nats?: string): Promise<DoctorOptions> {
  const { GRPC_CERT_FILE, GRPC_CA_FILE, NODE_EXTRA_CA_CERTS, DATABASE_URL, DATABASE_POOLER_URL, NATS_URL, REDIS_URL, SMTP_URL } =
    process.env;
  const { address, tls } = await findAccountAdmin(connection);
  return {
    services: new Map([['account-admin', address], ...SERVICES.flatMap(addressOf)]),
    tls,
    natsUrl: await findNatsUrl({ option: nats, environment: NATS_URL, folder: process.cwd() }).catch(() => undefined),
    databaseUrl: given(DATABASE_URL),
    poolerUrl: given(DATABASE_POOLER_URL),
    redisUrl: given(REDIS_URL),
    smtpUrl: given(SMTP_URL),
    certificateFiles: [tls?.certFile ?? given(GRPC_CERT_FILE), tls?.caFile ?? given(GRPC_CA_FILE)].flatMap((file) => file ?? []),
    authoritiesFile: given(NODE_EXTRA_CA_CERTS),
  };
}

// From EXPORT_ADDRESS and the like.
function addressOf(service: string): [string, string][] {
  const address = given(process.env[`${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`]);
  return address === undefined ? [] : [[service, address]];
}

function given(variable: string | undefined): string | undefined {
  return variable === '' ? undefined : variable;
}
