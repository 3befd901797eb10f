import { z } from 'zod';

/**
 * Protection of calls between services. The files are read again when they change: certificates are
 * rotated without a restart.
 */
export const grpcTlsSettings = {
  // mutual: both sides present a certificate of the authority, and callers may call only the
  // methods allowed in packages/rpc/src/callers.ts.
  GRPC_TLS: z.enum(['off', 'mutual']).default('off'),
  // PEM. The certificate names its service as URI:spiffe://survey/<service>, and for its callers
  // the host by which they call it.
  GRPC_CERT_FILE: z.string().min(1).optional(),
  GRPC_KEY_FILE: z.string().min(1).optional(),
  // Certificate of the authority that signs all of them, and nothing else.
  GRPC_CA_FILE: z.string().min(1).optional(),
};

/** TLS files of one service or tool. */
export interface GrpcTls {
  readonly service: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

type Given = Partial<z.output<z.ZodObject<typeof grpcTlsSettings>>>;

/**
 * Returns undefined for calls without TLS.
 * @throws when a file is not named
 */
export function grpcTlsOf(service: string, settings: Given): GrpcTls | undefined {
  if ((settings.GRPC_TLS ?? 'off') === 'off') return undefined;
  const { GRPC_CERT_FILE: certFile, GRPC_KEY_FILE: keyFile, GRPC_CA_FILE: caFile } = settings;
  if (certFile === undefined || keyFile === undefined || caFile === undefined)
    throw new Error('GRPC_TLS is mutual: GRPC_CERT_FILE, GRPC_KEY_FILE and GRPC_CA_FILE must name PEM files');
  return { service, certFile, keyFile, caFile };
}
