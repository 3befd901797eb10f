import { ChannelCredentials, type ChannelOptions, experimental, ServerCredentials, Client } from '@grpc/grpc-js';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

// grpc-js receives at most 4 MiB by default: a page of 1,000 employees with 60 attributes is larger
// (rule LISTS-LIMIT-3).
export const CHANNEL_LIMITS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // The HTTP/2 default of 64 KiB halves the throughput of 70 KB pages.
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
  'grpc.enable_channelz': 0,
  // Without this, http_proxy in the environment would send internal calls through the company's
  // proxy.
  'grpc.enable_http_proxy': 0,
  'grpc.keepalive_time_ms': 10_000,
  // A server whose event loop is blocked for a few seconds, such as by hundreds of uploads, keeps
  // its connections and their calls.
  'grpc.keepalive_timeout_ms': 5_000,
};

// By default, reconnecting to a long unavailable service takes up to 2 minutes, and repeating a DNS
// query 30 s.
export const RECONNECT: ChannelOptions = {
  // Shared subchannels would keep the old connections of a renewed client.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
};

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

const PATH = '/grpc.health.v1.Health/Check';
const TIMEOUT_MS = 5_000;
// HealthCheckRequest without a service asks about the whole server; HealthCheckResponse { status:
// SERVING } is one small field.
const REQUEST = Buffer.alloc(0);
const SERVING = Buffer.from([0x08, 0x01]);

/**
 * Checks a gRPC server with the standard health service.
 * @throws when it does not respond or does not serve
 */
export async function checkHealth(address: string, tls?: GrpcTls): Promise<void> {
  const client = new Client(`dns:///${address}`, channelCredentials(tls));
  const asIs = (bytes: Buffer): Buffer => bytes;
  try {
    const status = await new Promise<Buffer | undefined>((resolve, reject) => {
      const deadline = Date.now() + TIMEOUT_MS;
      client.makeUnaryRequest(PATH, asIs, asIs, REQUEST, { deadline }, (error, value) =>
        error ? reject(error) : resolve(value),
      );
    });
    if (status === undefined || !status.equals(SERVING)) throw new Error('the health check reports that it is not serving');
  } finally {
    client.close();
  }
}
