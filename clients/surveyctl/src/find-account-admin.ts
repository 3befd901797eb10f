import { readEnvironment } from '@survey/process/environment.ts';
import { grpcTlsOf, grpcTlsSettings, type GrpcTls } from '@survey/process/grpc-tls.ts';
import { findAddress, findLocalStack, type LocalStack } from './address.ts';
import { findContext } from './contexts.ts';

/** Global options that choose an account-admin, and say why it is called. */
export interface ConnectionOptions {
  readonly address?: string;
  readonly context?: string;
  readonly reason?: string;
}

interface AccountAdminTarget {
  readonly address: string;
  readonly tls: GrpcTls | undefined;
  /** Present if the address is of the stack of `npm start`. */
  readonly localStack?: LocalStack | undefined;
}

/**
 * Returns the account-admin of --address, --context, ACCOUNT_ADMIN_ADDRESS, the current context or
 * `npm start`, in this order.
 */
export async function findAccountAdmin({ address, context }: ConnectionOptions): Promise<AccountAdminTarget> {
  const environment = process.env['ACCOUNT_ADMIN_ADDRESS'];
  const isGiven = address !== undefined || (context === undefined && environment !== undefined && environment !== '');
  const connection = isGiven ? undefined : await findContext(context);
  if (connection !== undefined)
    return { address: connection.address, tls: connection.tls && { service: 'ops-tools', ...connection.tls } };
  const folder = process.cwd();
  return {
    address: await findAddress({ option: address, environment, folder }),
    localStack: isGiven ? undefined : await findLocalStack(folder),
    tls: grpcTlsOf('ops-tools', readEnvironment(grpcTlsSettings, process.env)),
  };
}
