import { readEnvironment } from '@survey/process/environment.ts';
import { grpcTlsOf, grpcTlsSettings } from '@survey/process/grpc-tls.ts';
import { findAddress, findNatsUrl } from '../address.ts';
import type { DoctorOptions } from './checks.ts';

const SERVICES = ['account-admin', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'];

/**
 * Returns what the environment and the options allow to check.
 * @throws when no service is named and no stack runs here
 */
export async function readDoctorOptions(address?: string, nats?: string): Promise<DoctorOptions> {
  const { GRPC_CERT_FILE, GRPC_CA_FILE, NODE_EXTRA_CA_CERTS, DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
  const folder = process.cwd();
  const services = new Map(SERVICES.flatMap(addressOf));
  if (address !== undefined || services.size === 0)
    services.set('account-admin', await findAddress({ option: address, environment: undefined, folder }));
  return {
    services,
    tls: grpcTlsOf('ops-tools', readEnvironment(grpcTlsSettings, process.env)),
    natsUrl: await findNatsUrl({ option: nats, environment: NATS_URL, folder }).catch(() => undefined),
    databaseUrl: given(DATABASE_URL),
    redisUrl: given(REDIS_URL),
    certificateFiles: [GRPC_CERT_FILE, GRPC_CA_FILE].flatMap((file) => given(file) ?? []),
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
