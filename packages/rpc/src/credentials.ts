import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';

const REFRESH_MS = 10_000;

// Certificates are rotated under a running process.
function watch({ certFile, keyFile, caFile }: GrpcTls, refreshIntervalMs = REFRESH_MS) {
  return new experimental.FileWatcherCertificateProvider({
    certificateFile: certFile,
    privateKeyFile: keyFile,
    caCertificateFile: caFile,
    refreshIntervalMs,
  });
}

/** For a server: in the clear, or with a certificate on both sides. */
export function serverCredentials(tls: GrpcTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const files = watch(tls);
  return experimental.createCertificateProviderServerCredentials(files, files, true);
}

/**
 * For a client: the server must show a certificate of the authority that names the host it was
 * called by.
 */
export function channelCredentials(tls: GrpcTls | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const files = watch(tls);
  return experimental.createCertificateProviderChannelCredentials(files, files);
}
