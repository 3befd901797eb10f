import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

/**
 * What was wrong in a request body, and where: an RFC 6901 pointer into it. Never repeats a value:
 * values are personal data.
 */
export interface FieldError {
  pointer: string;
  detail: string;
}

// The closed list of ways a service says no. Anything else that goes wrong is a fault, not a
// refusal.
const GRPC_STATUS = {
  invalid: status.INVALID_ARGUMENT,
  // The API key was revoked, or lost a scope, while its request was served.
  unauthorized: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ABORTED,
  // An Idempotency-Key that came with another body before.
  mismatch: status.ALREADY_EXISTS,
  too_large: status.OUT_OF_RANGE,
  unsupported: status.UNIMPLEMENTED,
  // Try again later: overloaded, draining, or a dependency is away.
  busy: status.RESOURCE_EXHAUSTED,
} as const;

export type ApplicationErrorCode = keyof typeof GRPC_STATUS;

export const MAX_LISTED_ERRORS = 100;
const MAX_FINDING = 200;
const MAX_DETAIL = 1_000;
// HTTP/2 peers take 64 KiB of headers; base64 makes four bytes of three.
const TRAILER_BYTES = 40_000;

export class ApplicationError extends Error {
  override readonly name = 'Refusal';
  readonly code: ApplicationErrorCode;
  readonly fieldErrors: readonly FieldError[];
  // Of all findings; `findings` holds the first 100.
  readonly fieldErrorsTotal: number;

  constructor(
    code: ApplicationErrorCode,
    detail: string,
    fieldErrors: readonly FieldError[] = [],
    fieldErrorsTotal = fieldErrors.length,
  ) {
    super(detail);
    this.code = code;
    this.fieldErrors = fieldErrors.slice(0, MAX_LISTED_ERRORS);
    this.fieldErrorsTotal = fieldErrorsTotal;
  }
}

export const invalid = (detail: string, fieldErrors?: readonly FieldError[], total?: number): ApplicationError =>
  new ApplicationError('invalid', detail, fieldErrors, total);
export const unauthorized = (detail: string): ApplicationError => new ApplicationError('unauthorized', detail);
export const forbidden = (detail: string): ApplicationError => new ApplicationError('forbidden', detail);
export const notFound = (detail: string): ApplicationError => new ApplicationError('not_found', detail);
export const conflict = (detail: string): ApplicationError => new ApplicationError('conflict', detail);
export const mismatch = (detail: string): ApplicationError => new ApplicationError('mismatch', detail);
export const tooLarge = (detail: string): ApplicationError => new ApplicationError('too_large', detail);
export const unsupported = (detail: string): ApplicationError => new ApplicationError('unsupported', detail);
export const busy = (detail: string): ApplicationError => new ApplicationError('busy', detail);

const TRAILER = 'refusal-bin';

/**
 * A refusal as gRPC carries it: in a trailer, which is small. So each finding is cut, and those
 * that still do not fit are only counted.
 */
export function toGrpcStatus(refusal: ApplicationError): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const fieldErrors = takeWhileFits(
    refusal.fieldErrors.map(({ pointer, detail }): [string, string] => [truncate(pointer), truncate(detail)]),
  );
  const metadata = new Metadata();
  metadata.set(
    TRAILER,
    Buffer.from(JSON.stringify([refusal.code, truncate(refusal.message, MAX_DETAIL), fieldErrors, refusal.fieldErrorsTotal])),
  );
  return { code: GRPC_STATUS[refusal.code], details: refusal.code, metadata };
}

/** The refusal in an error of a gRPC call; undefined when the call failed in another way. */
export function fromGrpcError(error: ServiceError): ApplicationError | undefined {
  const trailer = error.metadata?.get(TRAILER)[0];
  if (!Buffer.isBuffer(trailer)) return undefined;
  // Written by refusalStatus of a service of ours, and by nobody else.
  const [code, detail, fieldErrors, total] = JSON.parse(trailer.toString()) as [
    ApplicationErrorCode,
    string,
    [string, string][],
    number,
  ];
  return new ApplicationError(
    code,
    detail,
    fieldErrors.map(([pointer, text]) => ({ pointer, detail: text })),
    total,
  );
}

function takeWhileFits<T>(fieldErrors: readonly T[]): readonly T[] {
  let bytes = 0;
  const over = fieldErrors.findIndex((finding) => (bytes += Buffer.byteLength(JSON.stringify(finding))) > TRAILER_BYTES);
  return over < 0 ? fieldErrors : fieldErrors.slice(0, over);
}

function truncate(text: string, length = MAX_FINDING): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
