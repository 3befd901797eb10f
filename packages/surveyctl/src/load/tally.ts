import type { LineKind } from '@survey/dataset/line.ts';

export interface RejectedLine {
  line: number;
  // Null when the line does not say.
  kind: string | null;
  reason: string;
  // surveyctl, or the service that takes facts of this kind.
  rejected_by: string;
}

export interface KindCount {
  // Lines that were published and not rejected by a service.
  loaded: number;
  rejected: number;
}

/**
 * Counts what became of lines. Of those that are rejected it keeps the first `kept`, whatever their
 * number.
 */
export class Tally {
  lines = 0;
  rejected = 0;
  readonly kinds = new Map<string, KindCount>();
  readonly #rejections: RejectedLine[] = [];
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  published(kind: LineKind): void {
    this.lines += 1;
    this.#count(kind).loaded += 1;
  }

  /** A line that surveyctl itself refuses. */
  refused(line: number, kind: LineKind | undefined, reason: string): void {
    this.lines += 1;
    this.rejected += 1;
    if (kind !== undefined) this.#count(kind).rejected += 1;
    this.#keep({ line, kind: kind ?? null, reason, rejected_by: 'surveyctl' });
  }

  /** Published lines of a kind that a service rejected. */
  rejectedByServices(kind: string, lines: number): void {
    const count = this.#count(kind);
    this.rejected += lines;
    count.rejected += lines;
    count.loaded -= lines;
  }

  /** The rejected lines that are kept, with those of the services, in the order of the source. */
  rejections(byServices: readonly RejectedLine[]): RejectedLine[] {
    return [...this.#rejections, ...byServices].sort((a, b) => a.line - b.line).slice(0, this.#kept);
  }

  #count(kind: string): KindCount {
    const count = this.kinds.get(kind) ?? { loaded: 0, rejected: 0 };
    this.kinds.set(kind, count);
    return count;
  }

  #keep(rejection: RejectedLine): void {
    if (this.#rejections.length < this.#kept) this.#rejections.push(rejection);
  }
}
