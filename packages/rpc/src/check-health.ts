import { Client } from '@grpc/grpc-js';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';
import { channelCredentials } from './channel.ts';

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
