import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';

const REFRESH_MS = 10_000;

// Certificates are rotated while the process runs.
function watch({ certFile, keyFile, caFile }: GrpcTls, refreshIntervalMs = REFRESH_MS) {
  return new experimental.FileWatcherCertificateProvider({
    certificateFile: certFile,
    privateKeyFile: keyFile,
    caCertificateFile: caFile,
    refreshIntervalMs,
  });
}

/** Returns server credentials: without TLS, or with mutual TLS. */
export function serverCredentials(tls: GrpcTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const files = watch(tls);
  return experimental.createCertificateProviderServerCredentials(files, files, true);
}

/**
 * Returns client credentials: the server must present a certificate of the authority for the host
 * that is called.
 */
export function channelCredentials(tls: GrpcTls | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const files = watch(tls);
  return experimental.createCertificateProviderChannelCredentials(files, files);
}
