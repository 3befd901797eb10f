import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

/**
 * An invalid part of a request: an RFC 6901 pointer into the body, or the name of a header. Never
 * contains a value but the import_id: values are personal data.
 */
export interface FieldError {
  pointer: string;
  detail: string;
  // The import_id of the record, if it was read and is valid.
  import_id?: string;
}

// The closed list of application errors. Any other failure is a fault.
const GRPC_STATUS = {
  invalid: status.INVALID_ARGUMENT,
  // The API key was revoked, or lost a scope, during its request.
  unauthorized: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ABORTED,
  // An Idempotency-Key that was used with another body before.
  mismatch: status.ALREADY_EXISTS,
  too_large: status.OUT_OF_RANGE,
  unsupported: status.UNIMPLEMENTED,
  // Retry later: overloaded, draining, or a dependency is unavailable.
  busy: status.RESOURCE_EXHAUSTED,
} as const;

export type ApplicationErrorCode = keyof typeof GRPC_STATUS;

/** Stored in the audit log as the reason for a rejection; the console has a sentence for each. */
export type ConflictReason =
  | 'being_applied'
  | 'ended_otherwise'
  | 'import_running'
  | 'name_taken'
  | 'newer_import'
  | 'other_reasons'
  | 'overridden_already'
  | 'snapshot_deleted'
  | 'value_changing';

const MAX_LISTED_ERRORS = 100;
const MAX_FINDING = 200;
const MAX_DETAIL = 1_000;
// HTTP/2 peers accept 64 KiB of headers; base64 turns three bytes into four.
const TRAILER_BYTES = 40_000;

export class ApplicationError extends Error {
  override readonly name = 'ApplicationError';
  readonly code: ApplicationErrorCode;
  readonly fieldErrors: readonly FieldError[];
  // Total number of field errors, of which at most the first 100 are listed.
  readonly fieldErrorsTotal: number;
  // Seconds after which the caller should repeat the call.
  readonly retryAfterSeconds: number | undefined;
  // A ConflictReason, or one of a later release.
  readonly reason: string | undefined;

  constructor(
    code: ApplicationErrorCode,
    detail: string,
    fieldErrors: readonly FieldError[] = [],
    fieldErrorsTotal = fieldErrors.length,
    retryAfterSeconds?: number,
    reason?: string,
  ) {
    super(detail);
    this.code = code;
    this.fieldErrors = fieldErrors.slice(0, MAX_LISTED_ERRORS);
    this.fieldErrorsTotal = fieldErrorsTotal;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason;
  }
}

export const invalid = (detail: string, fieldErrors?: readonly FieldError[], total?: number): ApplicationError =>
  new ApplicationError('invalid', detail, fieldErrors, total);
export const unauthorized = (detail: string): ApplicationError => new ApplicationError('unauthorized', detail);
export const forbidden = (detail: string): ApplicationError => new ApplicationError('forbidden', detail);
export const notFound = (detail: string): ApplicationError => new ApplicationError('not_found', detail);
export const conflict = (detail: string, reason?: ConflictReason, retryAfterSeconds?: number): ApplicationError =>
  new ApplicationError('conflict', detail, [], 0, retryAfterSeconds, reason);
export const mismatch = (detail: string): ApplicationError => new ApplicationError('mismatch', detail);
export const tooLarge = (detail: string): ApplicationError => new ApplicationError('too_large', detail);
export const unsupported = (detail: string): ApplicationError => new ApplicationError('unsupported', detail);
export const busy = (detail: string): ApplicationError => new ApplicationError('busy', detail);

const TRAILER = 'rejection-bin';

/**
 * Converts an application error to a gRPC status. It travels in a trailer, which is small: each
 * field error is truncated, and those that do not fit are only counted.
 */
export function toGrpcStatus(rejection: ApplicationError): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const fieldErrors = takeWhileFits(
    rejection.fieldErrors.map(({ pointer, detail, import_id }) => [truncate(pointer), truncate(detail), import_id]),
  );
  const { code, message, fieldErrorsTotal, retryAfterSeconds, reason } = rejection;
  const metadata = new Metadata();
  const trailer = JSON.stringify([code, truncate(message, MAX_DETAIL), fieldErrors, fieldErrorsTotal, retryAfterSeconds, reason]);
  metadata.set(TRAILER, Buffer.from(trailer));
  return { code: GRPC_STATUS[rejection.code], details: rejection.code, metadata };
}

/** Returns the application error in a gRPC error; undefined when the call failed in another way. */
export function fromGrpcError(error: ServiceError): ApplicationError | undefined {
  const trailer = error.metadata?.get(TRAILER)[0];
  if (!Buffer.isBuffer(trailer)) return undefined;
  // Only toGrpcStatus of our own services writes this trailer.
  const [code, detail, fieldErrors, total, retryAfterSeconds, reason] = JSON.parse(trailer.toString()) as [
    ApplicationErrorCode,
    string,
    [string, string, (string | null)?][],
    number,
    (number | null)?,
    (string | null)?,
  ];
  return new ApplicationError(
    code,
    detail,
    fieldErrors.map(([pointer, text, import_id]) => ({ pointer, detail: text, ...(import_id != null && { import_id }) })),
    total,
    retryAfterSeconds ?? undefined,
    reason ?? undefined,
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
