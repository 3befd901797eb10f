/**
 * How far a server is in the write-ahead log: bytes since its beginning, on the timeline that it
 * follows. Null: it replays none.
 */
export interface WalPosition {
  readonly position: number | null;
  readonly timeline: number;
}

/**
 * Where the primary was, `atMs` at the latest: whoever has replayed that far lacks nothing that was
 * committed before.
 */
export interface WalSample {
  readonly atMs: number;
  readonly position: number;
  readonly timeline: number;
}

// Longer than any bound, so that the lag of a replica that is beyond its bound can be told.
const RETENTION_MS = 120_000;

/** Where the primary has been lately. */
export class WalHistory {
  // The oldest first.
  #marks: WalSample[] = [];

  /** Answers with the oldest that is kept. */
  add(mark: WalSample): WalSample {
    // A failover begins another timeline: what came before says nothing about a replica that
    // follows it.
    this.#marks = this.#marks.filter(({ atMs, timeline }) => timeline === mark.timeline && mark.atMs - atMs <= RETENTION_MS);
    this.#marks.push(mark);
    return this.#marks[0] ?? mark;
  }

  /**
   * The least that a replica must have replayed to be at most so old; undefined when nobody has
   * looked at the primary since.
   */
  oldestSince(sinceMs: number): WalSample | undefined {
    return this.#marks.find(({ atMs }) => atMs >= sinceMs);
  }

  newestReached(by: WalPosition): WalSample | undefined {
    return this.#marks.findLast((mark) => hasReached(by, mark));
  }
}

/**
 * A replica on another timeline may be further, with commits that the primary has lost in a
 * failover.
 */
export function hasReached({ position, timeline }: WalPosition, mark: Pick<WalSample, 'position' | 'timeline'>): boolean {
  return position !== null && timeline === mark.timeline && position >= mark.position;
}
