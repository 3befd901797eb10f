import { status, type ServiceError } from '@grpc/grpc-js';
import { fromGrpcError, type ApplicationError } from './application-error.ts';

/**
 * The service failed or did not answer in time. Holds the name of the gRPC status, never the
 * service's own words.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamFault';
  // Such as UNAVAILABLE, DEADLINE_EXCEEDED, or CANCELLED when the caller gave up.
  readonly status: string;
  /**
   * Whether the stream was closed before it had a status: the service may have done the work or
   * not.
   */
  readonly wasReset: boolean;

  constructor(status: string, options?: ErrorOptions & { wasReset?: boolean }) {
    super(status, options);
    this.status = status;
    this.wasReset = options?.wasReset ?? false;
  }
}

// grpc-js gives a stream that was closed without a status the code INTERNAL, and tells it from a
// fault of the service by these words alone.
const RESET = /^Received RST_STREAM with code \d+/;

/** What a failed call means: the service said no, or it did not do its work. */
export function toCallError(error: ServiceError): ApplicationError | UpstreamError {
  const refusal = fromGrpcError(error);
  if (refusal !== undefined) return refusal;
  if (error.code === status.INTERNAL && RESET.test(error.details))
    return new UpstreamError('UNAVAILABLE', { cause: error, wasReset: true });
  return new UpstreamError(status[error.code] ?? 'UNKNOWN', { cause: error });
}
