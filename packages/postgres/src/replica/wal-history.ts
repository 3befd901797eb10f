/**
 * A server's position in the write-ahead log, in bytes since its beginning, and its timeline. Null:
 * the server replays none.
 */
export interface WalPosition {
  readonly position: number | null;
  readonly timeline: number;
}

/**
 * The primary's position, taken at `atMs` at the latest: a server that has replayed it has every
 * earlier commit.
 */
export interface WalSample {
  readonly atMs: number;
  readonly position: number;
  readonly timeline: number;
}

// Longer than any allowed lag, so that a larger lag can be reported.
const RETENTION_MS = 120_000;

/** Recent positions of the primary. */
export class WalHistory {
  // Oldest first.
  #marks: WalSample[] = [];

  /** Adds a sample. Returns the oldest one kept. */
  add(mark: WalSample): WalSample {
    // A failover begins a new timeline: earlier samples do not apply to a replica that follows it.
    this.#marks = this.#marks.filter(({ atMs, timeline }) => timeline === mark.timeline && mark.atMs - atMs <= RETENTION_MS);
    this.#marks.push(mark);
    return this.#marks[0] ?? mark;
  }

  /**
   * Returns the position that a replica must have replayed to have this maximum age; undefined
   * without a sample of the primary since then.
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
