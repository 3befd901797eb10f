import { status, type ServiceError } from '@grpc/grpc-js';
import { refusalOf, type Refusal } from './refusal.ts';

/** The service failed or did not answer in time. Holds the name of the gRPC status, never the service's own words. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  // Such as UNAVAILABLE, DEADLINE_EXCEEDED, or CANCELLED when the caller gave up.
  readonly status: string;

  constructor(status: string, options?: ErrorOptions) {
    super(status, options);
    this.status = status;
  }
}

/** What a failed call means: the service said no, or it did not do its work. */
export function failureOf(error: ServiceError): Refusal | UpstreamFault {
  return refusalOf(error) ?? new UpstreamFault(status[error.code] ?? 'UNKNOWN', { cause: error });
}
