import { Gauge } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { queryWithTimeout, type Pool } from '../database.ts';
import { WalHistory, type WalSample, type WalPosition } from './wal-history.ts';

const bytes = (position: string): string => `pg_wal_lsn_diff(${position}, '0/0')::bigint as position`;

/**
 * Single-row statements for a server's WAL position. On the primary, all visible rows have been
 * flushed.
 */
export const FLUSHED = `select ${bytes('pg_current_wal_flush_lsn()')}`;
export const REPLAYED = `select ${bytes('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end')}`;
const FLUSHED_WHERE = `${FLUSHED}, ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`;
// A replica's control file has the timeline of its last restart point: after a failover it changes
// late, never early.
export const REPLAYED_WHERE = `${REPLAYED}, (select timeline_id from pg_control_checkpoint()) as timeline`;

const LOOK_INTERVAL_MS = 1_000;

interface Watched {
  readonly primary: Pool;
  readonly replica: Pool;
  readonly maxLagMs: number;
  // Timeout for each server.
  readonly waitMs: number;
}

/** The state of a replica, and the position it must have replayed to be used. */
export class ReplicaWatch {
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
export function watchReplica(watched: Watched, context: ServiceContext): ReplicaWatch {
  const watch = new ReplicaWatch(watched, context);
  context.resources.use(repeat(LOOK_INTERVAL_MS, () => watch.poll()));
  return watch;
}
