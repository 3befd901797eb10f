import { z } from 'zod';

/**
 * Protection of calls between services. The files are read again when they change: certificates are
 * rotated without a restart.
 */
export const grpcTlsSettings = {
  GRPC_TLS: z
    .enum(['off', 'mutual'])
    .default('off')
    .describe(
      'With `mutual`, both sides of a call present a certificate, and callers may call only the methods allowed in packages/rpc/src/callers.ts',
    ),
  GRPC_CERT_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Certificate as PEM. It names its service as `URI:spiffe://survey/<service>`, and the hosts by which callers reach it',
    ),
  GRPC_KEY_FILE: z.string().min(1).optional().describe('Key as PEM'),
  GRPC_CA_FILE: z.string().min(1).optional().describe('Authority as PEM. It must sign nothing but these certificates'),
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
