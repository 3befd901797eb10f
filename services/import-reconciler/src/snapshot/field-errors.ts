/**
 * One fault of a rejected body: its RFC 6901 JSON pointer and a description. Contains no value from
 * the body but the import_id of the record (rule ERRORS-SHAPE-3).
 */
export interface FieldError {
  pointer: string;
  detail: string;
  import_id?: string;
}

/** The first 100 field errors and the total number (rule ERRORS-SHAPE-2). */
export class FieldErrorList {
  static readonly LISTED_MAX = 100;
  readonly list: FieldError[] = [];
  total = 0;

  /** @param at a JSON pointer, or the path that it is made of */
  add(at: string | readonly (string | number)[], detail: string): void {
    this.total += 1;
    if (this.list.length < FieldErrorList.LISTED_MAX)
      this.list.push({ pointer: typeof at === 'string' ? at : pointer(at), detail });
  }
}

/**
 * Thrown for a fault after which the rest of the body cannot be read; its field error is the last.
 */
export class UnreadableSnapshotError extends Error {
  readonly finding: FieldError;

  constructor(finding: FieldError) {
    super(`${finding.pointer}: ${finding.detail}`);
    this.name = 'UnreadableSnapshotError';
    this.finding = finding;
  }
}

const SEGMENT_CHARACTERS_MAX = 100;

/**
 * Returns the JSON pointer of a path. Property names are client data, so each is made well-formed
 * and truncated to 100 characters.
 */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

function escapeSegment(segment: string): string {
  const shown = segment.length > SEGMENT_CHARACTERS_MAX ? `${segment.slice(0, SEGMENT_CHARACTERS_MAX)}…` : segment;
  return shown.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
