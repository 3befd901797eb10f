import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

/** What was wrong in a request body, and where: an RFC 6901 pointer into it. Never repeats a value: values are personal data. */
export interface Finding {
  pointer: string;
  detail: string;
}

// The closed list of ways a service says no. Anything else that goes wrong is a fault, not a refusal.
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

export type RefusalCode = keyof typeof GRPC_STATUS;

export const LISTED_FINDINGS = 100;
const LONGEST_FINDING = 200;
const LONGEST_DETAIL = 1_000;
// HTTP/2 peers take 64 KiB of headers; base64 makes four bytes of three.
const TRAILER_BYTES = 40_000;

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly findings: readonly Finding[];
  // Of all findings; `findings` holds the first 100.
  readonly findingsTotal: number;

  constructor(code: RefusalCode, detail: string, findings: readonly Finding[] = [], findingsTotal = findings.length) {
    super(detail);
    this.code = code;
    this.findings = findings.slice(0, LISTED_FINDINGS);
    this.findingsTotal = findingsTotal;
  }
}

export const invalid = (detail: string, findings?: readonly Finding[], total?: number): Refusal =>
  new Refusal('invalid', detail, findings, total);
export const unauthorized = (detail: string): Refusal => new Refusal('unauthorized', detail);
export const forbidden = (detail: string): Refusal => new Refusal('forbidden', detail);
export const notFound = (detail: string): Refusal => new Refusal('not_found', detail);
export const conflict = (detail: string): Refusal => new Refusal('conflict', detail);
export const mismatch = (detail: string): Refusal => new Refusal('mismatch', detail);
export const tooLarge = (detail: string): Refusal => new Refusal('too_large', detail);
export const unsupported = (detail: string): Refusal => new Refusal('unsupported', detail);
export const busy = (detail: string): Refusal => new Refusal('busy', detail);

const TRAILER = 'refusal-bin';

/** A refusal as gRPC carries it: in a trailer, which is small. So each finding is cut, and those that still do not fit are only counted. */
export function refusalStatus(refusal: Refusal): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const findings = fitting(refusal.findings.map(({ pointer, detail }): [string, string] => [cut(pointer), cut(detail)]));
  const metadata = new Metadata();
  metadata.set(
    TRAILER,
    Buffer.from(JSON.stringify([refusal.code, cut(refusal.message, LONGEST_DETAIL), findings, refusal.findingsTotal])),
  );
  return { code: GRPC_STATUS[refusal.code], details: refusal.code, metadata };
}

/** The refusal in an error of a gRPC call; undefined when the call failed in another way. */
export function refusalOf(error: ServiceError): Refusal | undefined {
  const trailer = error.metadata?.get(TRAILER)[0];
  if (!Buffer.isBuffer(trailer)) return undefined;
  // Written by refusalStatus of a service of ours, and by nobody else.
  const [code, detail, findings, total] = JSON.parse(trailer.toString()) as [RefusalCode, string, [string, string][], number];
  return new Refusal(
    code,
    detail,
    findings.map(([pointer, text]) => ({ pointer, detail: text })),
    total,
  );
}

function fitting<T>(findings: readonly T[]): readonly T[] {
  let bytes = 0;
  const over = findings.findIndex((finding) => (bytes += Buffer.byteLength(JSON.stringify(finding))) > TRAILER_BYTES);
  return over < 0 ? findings : findings.slice(0, over);
}

function cut(text: string, length = LONGEST_FINDING): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
