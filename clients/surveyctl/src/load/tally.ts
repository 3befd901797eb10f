import type { LineKind } from '@survey/bus/lines/line.ts';

export interface RejectedLine {
  line: number;
  // Null when the line has no kind.
  kind: string | null;
  reason: string;
  // surveyctl, or the service that consumes this kind.
  rejected_by: string;
}

interface KindCount {
  // Published lines that no service rejected.
  loaded: number;
  rejected: number;
}

/** Counts the outcomes of lines. Keeps only the first `maxRejections` rejected ones. */
export class Tally {
  lines = 0;
  rejected = 0;
  readonly kinds = new Map<string, KindCount>();
  readonly #rejections: RejectedLine[] = [];
  readonly #maxRejections: number;

  constructor(maxRejections: number) {
    this.#maxRejections = maxRejections;
  }

  published(kind: LineKind): void {
    this.lines += 1;
    this.#count(kind).loaded += 1;
  }

  /** Records a line that surveyctl itself rejects. */
  reject(line: number, kind: LineKind | undefined, reason: string): void {
    this.lines += 1;
    this.rejected += 1;
    if (kind !== undefined) this.#count(kind).rejected += 1;
    this.#keep({ line, kind: kind ?? null, reason, rejected_by: 'surveyctl' });
  }

  /** Records published lines of a kind that a service rejected. */
  rejectedByServices(kind: string, lines: number): void {
    const count = this.#count(kind);
    this.rejected += lines;
    count.rejected += lines;
    count.loaded -= lines;
  }

  /** Returns the kept rejected lines, including the services', in source order. */
  rejections(byServices: readonly RejectedLine[]): RejectedLine[] {
    return [...this.#rejections, ...byServices].sort((a, b) => a.line - b.line).slice(0, this.#maxRejections);
  }

  #count(kind: string): KindCount {
    const count = this.kinds.get(kind) ?? { loaded: 0, rejected: 0 };
    this.kinds.set(kind, count);
    return count;
  }

  #keep(rejection: RejectedLine): void {
    if (this.#rejections.length < this.#maxRejections) this.#rejections.push(rejection);
  }
}
