import { initializeToZero, counter, Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { DatabaseError } from 'pg';
import { inAccountSnapshot, type Client, type Pool, type ReadOptions, queryWithTimeout } from '../database.ts';
import { DatabaseUnavailableError, isStatementTimeout } from '../database-error.ts';
import { openPool } from '../open-database.ts';
import { repeat } from '@survey/process/repeat.ts';

// Reads that may lag. This folder is everything that exists because of streaming replicas, and
// openReplicaReader is its only door: a service asks for an AccountReader and writes plain
// PostgreSQL, whether it has a replica or not. A replica may be used if it has replayed every
// commit older than the allowed lag, and everything that this process has already shown of the
// account. watchReplica samples the primary's WAL position each second; WalHistory turns the
// samples into "the position that must have been replayed by now". Positions of two timelines
// cannot be compared: after a failover, a server on another timeline may be ahead in the log and
// lack commits. timeline.ts is for caches, whose rows are valid only on the timeline that they were
// read from. If the replica is late, unavailable or fails, the primary answers, and a reader only
// notices that it takes longer.

/**
 * Reads one account in one database snapshot, on any server that is fresh enough. `work` may run
 * twice: the first result is then discarded.
 */
export type AccountReader = <T>(accountId: number, work: (client: Client) => Promise<T>, options?: ReadOptions) => Promise<T>;

/** Returns a reader that uses only the primary. */
export function primaryReader(pool: Pool): AccountReader {
  return (accountId, work, options) => inAccountSnapshot(pool, accountId, work, options);
}

interface ReplicaOptions {
  // URL of a streaming replica, or of a name for several. Absent: the primary serves all reads.
  readonly url: string | undefined;
  readonly name: string;
  readonly maxConnections: number;
  readonly maxLagSeconds: number;
}

// Results of trying the replica; the primary serves all but the first.
const REPLICA_RESULTS = ['fresh', 'stale', 'unavailable', 'failed'] as const;
type Found = (typeof REPLICA_RESULTS)[number];

// Limits the wait for a connection, and then for its first result, so that time is left to ask the
// primary.
const REPLICA_WAIT_MS = 500;

class ReplicaStaleError extends Error {}

/**
 * Reads from a replica that has every commit older than `maxLagSeconds`, else from the primary (ADR
 * 19). The read's own connection checks its server before the database snapshot, so a name may
 * stand for several replicas. A read never returns older data than this process has returned before
 * for the account.
 */
export function openReplicaReader(primary: Pool, options: ReplicaOptions, context: ServiceContext): AccountReader {
  const { url, name, maxConnections, maxLagSeconds } = options;
  if (url === undefined) return primaryReader(primary);
  const replica = openPool('replica', { url, name, maxConnections, connectTimeoutMs: REPLICA_WAIT_MS }, context);
  const watch = watchReplica({ primary, replica, maxLagMs: maxLagSeconds * 1_000, waitMs: REPLICA_WAIT_MS }, context);
  const reads = counter(context.metrics, {
    name: 'replica_reads_total',
    help: 'Reads that may use a replica, by its state; the primary serves those without a fresh replica.',
    labelNames: ['result'],
  });
  initializeToZero(
    reads,
    REPLICA_RESULTS.map((result) => ({ result })),
  );
  return async (accountId, work, options) => {
    try {
      const result = await readReplica(replica, watch, accountId, work, options);
      reads.inc({ result: 'fresh' });
      return result;
    } catch (error) {
      reads.inc({ result: classifyReplicaError(error, watch) });
    }
    const after = { statement: FLUSHED, take: (row: WalPosition) => watch.recordRead(accountId, row) };
    return inAccountSnapshot(primary, accountId, work, { ...options, after });
  };
}

function readReplica<T>(
  replica: Pool,
  watch: ReplicaWatch,
  accountId: number,
  work: (client: Client) => Promise<T>,
  options?: ReadOptions,
): Promise<T> {
  if (watch.isUnavailable) throw new DatabaseUnavailableError('the replica is unavailable');
  const needed = watch.requiredPosition(accountId);
  if (needed === undefined) throw new ReplicaStaleError();
  const check = (row: WalPosition): void => {
    if (!hasReached(row, needed)) throw new ReplicaStaleError();
  };
  return inAccountSnapshot(replica, accountId, work, {
    ...options,
    before: { statement: REPLAYED_WHERE, withinMs: REPLICA_WAIT_MS, take: check },
    after: { statement: REPLAYED, take: (row: WalPosition) => watch.recordRead(accountId, row) },
  });
}

// Rethrows errors that the primary would return as well.
function classifyReplicaError(error: unknown, watch: ReplicaWatch): Found {
  if (error instanceof ReplicaStaleError) return 'stale';
  // Such as a conflict with recovery (40001), or a table that is not replayed yet.
  if (error instanceof DatabaseError) return 'failed';
  // After a timeout, running the statement again would exceed the caller's deadline.
  if (!(error instanceof DatabaseUnavailableError) || isStatementTimeout(error)) throw error;
  watch.markUnavailable(error);
  return 'unavailable';
}

const bytes = (position: string): string => `pg_wal_lsn_diff(${position}, '0/0')::bigint as position`;

/**
 * Single-row statements for a server's WAL position. On the primary, all visible rows have been
 * flushed.
 */
const FLUSHED = `select ${bytes('pg_current_wal_flush_lsn()')}`;
const REPLAYED = `select ${bytes('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end')}`;
const FLUSHED_WHERE = `${FLUSHED}, ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`;
// A replica's control file has the timeline of its last restart point: after a failover it changes
// late, never early.
const REPLAYED_WHERE = `${REPLAYED}, (select timeline_id from pg_control_checkpoint()) as timeline`;

const LOOK_INTERVAL_MS = 1_000;

interface Watched {
  readonly primary: Pool;
  readonly replica: Pool;
  readonly maxLagMs: number;
  // Timeout for each server.
  readonly waitMs: number;
}

/** The state of a replica, and the position it must have replayed to be used. */
class ReplicaWatch {
  readonly #watched: Watched;
  readonly #context: ServiceContext;
  readonly #marks = new WalHistory();
  // By account: WAL position of the last server that it was read from.
  readonly #readPositions = new Map<number, number>();
  #freshAtMs = performance.now();
  #isUnavailable = false;
  #isPrimaryUnknown = false;

  constructor(watched: Watched, context: ServiceContext) {
    this.#watched = watched;
    this.#context = context;
    const gauge: Gauge = new Gauge({
      name: 'replica_lag_seconds',
      help: 'Maximum age of the replica data, in seconds, also while it is unavailable.',
      registers: [context.metrics],
      collect: () => gauge.set((performance.now() - this.#freshAtMs) / 1_000),
    });
  }

  /** While true, reads skip the replica. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /** Returns the position that must be replayed to read this account; undefined when unknown. */
  requiredPosition(accountId: number): WalSample | undefined {
    const mark = this.#marks.oldestSince(performance.now() - this.#watched.maxLagMs);
    const readPosition = this.#readPositions.get(accountId) ?? 0;
    return mark && { ...mark, position: Math.max(mark.position, readPosition) };
  }

  /** Records a server's position after the account was read from it. */
  recordRead(accountId: number, { position }: Pick<WalPosition, 'position'>): void {
    const readPosition = this.#readPositions.get(accountId) ?? 0;
    this.#readPositions.set(accountId, Math.max(readPosition, position ?? readPosition));
  }

  markUnavailable(error: unknown): void {
    if (!this.#isUnavailable) this.#context.log.warn({ err: error }, 'replica unavailable');
    this.#isUnavailable = true;
  }

  async poll(): Promise<void> {
    await Promise.all([this.#lookAtPrimary(), this.#lookAtReplica()]);
  }

  async #lookAtPrimary(): Promise<void> {
    const { primary, waitMs } = this.#watched;
    const atMs = performance.now();
    try {
      const flushed = await queryWithTimeout<Omit<WalSample, 'atMs'>>(primary, FLUSHED_WHERE, waitMs);
      this.#isPrimaryUnknown = false;
      if (flushed === undefined) return;
      const oldest = this.#marks.add({ atMs, ...flushed });
      for (const [accountId, readPosition] of this.#readPositions)
        if (readPosition <= oldest.position) this.#readPositions.delete(accountId);
    } catch (error) {
      // Without it the replica soon counts as not fresh.
      if (!this.#isPrimaryUnknown) this.#context.log.warn({ err: error }, 'position of the primary unknown');
      this.#isPrimaryUnknown = true;
    }
  }

  async #lookAtReplica(): Promise<void> {
    const { replica, waitMs } = this.#watched;
    try {
      const replayed = await queryWithTimeout<WalPosition>(replica, REPLAYED_WHERE, waitMs);
      const reached = replayed && this.#marks.newestReached(replayed);
      this.#freshAtMs = reached?.atMs ?? this.#freshAtMs;
      if (this.#isUnavailable) this.#context.log.info('replica available');
      this.#isUnavailable = false;
    } catch (error) {
      this.markUnavailable(error);
    }
  }
}

/** Samples both servers once per second until the service stops. */
function watchReplica(watched: Watched, context: ServiceContext): ReplicaWatch {
  const watch = new ReplicaWatch(watched, context);
  context.resources.use(repeat(LOOK_INTERVAL_MS, () => watch.poll()));
  return watch;
}

/**
 * A server's position in the write-ahead log, in bytes since its beginning, and its timeline. Null:
 * the server replays none.
 */
interface WalPosition {
  readonly position: number | null;
  readonly timeline: number;
}

/**
 * The primary's position, taken at `atMs` at the latest: a server that has replayed it has every
 * earlier commit.
 */
interface WalSample {
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
