import { status, type ServiceError } from '@grpc/grpc-js';
import { fromGrpcError, type ApplicationError } from './application-error.ts';

/**
 * The upstream failed or timed out. Contains the name of the gRPC status, never the upstream's own
 * text.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  // Such as UNAVAILABLE, DEADLINE_EXCEEDED, or CANCELLED when the caller cancelled.
  readonly status: string;
  /**
   * Whether the stream was closed without a status: the service may or may not have done the work.
   */
  readonly wasReset: boolean;

  constructor(status: string, options?: ErrorOptions & { wasReset?: boolean }) {
    super(status, options);
    this.status = status;
    this.wasReset = options?.wasReset ?? false;
  }
}

// grpc-js uses INTERNAL for a stream that was closed without a status; only this text tells it from
// a fault of the service.
const RESET = /^Received RST_STREAM with code \d+/;

/** Converts a failed call: the service returned an application error, or it failed. */
export function toCallError(error: ServiceError): ApplicationError | UpstreamError {
  const rejection = fromGrpcError(error);
  if (rejection !== undefined) return rejection;
  if (error.code === status.INTERNAL && RESET.test(error.details))
    return new UpstreamError('UNAVAILABLE', { cause: error, wasReset: true });
  return new UpstreamError(status[error.code] ?? 'UNKNOWN', { cause: error });
}
