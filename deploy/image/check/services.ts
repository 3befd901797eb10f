import { readEnvironment } from '@survey/process/environment.ts';
import { grpcTlsOf, grpcTlsSettings, type GrpcTls } from '@survey/process/grpc-tls.ts';
import { checkHealth } from '@survey/rpc/check-health.ts';

/**
 * Checks every service with the standard gRPC health check.
 * @throws with the services that fail
 */
export async function checkServices(addresses: readonly string[]): Promise<string> {
  if (addresses.length === 0) throw new Error('give the services to check, as host:port');
  const tls = grpcTlsOf('test', readEnvironment(grpcTlsSettings, process.env));
  const faults = await Promise.all(addresses.map((address) => faultOf(address, tls)));
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new Error(found.join('\n'));
  return `${addresses.length} services serve`;
}

async function faultOf(address: string, tls: GrpcTls | undefined): Promise<string | undefined> {
  try {
    await checkHealth(address, tls);
    return undefined;
  } catch (error) {
    return `${address}: ${error instanceof Error ? error.message : 'does not serve'}`;
  }
}
