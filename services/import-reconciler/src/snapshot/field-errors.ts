/** One fault of a refused body: where (RFC 6901 JSON pointer) and what. Never holds a value out of the body. */
export interface FieldError {
  pointer: string;
  detail: string;
}

/** The first 100 findings and the count of all (rule ERRORS-SHAPE-2). */
export class FieldErrorList {
  static readonly LISTED_MAX = 100;
  readonly list: FieldError[] = [];
  total = 0;

  add(finding: FieldError): void {
    this.total += 1;
    if (this.list.length < FieldErrorList.LISTED_MAX) this.list.push(finding);
  }
}

/** A fault after which the rest of the body cannot be read: its last finding. */
export class UnreadableSnapshotError extends Error {
  readonly finding: FieldError;

  constructor(finding: FieldError) {
    super(`${finding.pointer}: ${finding.detail}`);
    this.name = 'UnreadableSnapshot';
    this.finding = finding;
  }
}

const SEGMENT_CHARACTERS_MAX = 100;

/** JSON pointer of a path. Property names are the sender's own words, so each is cut at 100 characters and made well-formed. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

function escapeSegment(segment: string): string {
  const shown = segment.length > SEGMENT_CHARACTERS_MAX ? `${segment.slice(0, SEGMENT_CHARACTERS_MAX)}…` : segment;
  return shown.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
