import { beginAt0, counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { DatabaseError } from 'pg';
import { DatabaseUnavailable, openPool, readAccount, sqlState, type Client, type Pool } from './database.ts';
import { hasReached, type LogPosition } from './log-marks.ts';
import { FLUSHED, REPLAYED, REPLAYED_WHERE, watchReplica, type ReplicaWatch } from './watch-replica.ts';

/** Reads one account in one snapshot, wherever that is fresh enough. `work` may be done twice: what came of the first time is dropped. */
export type ReadAccount = <T>(accountId: number, work: (client: Client) => Promise<T>, options?: ReadOptions) => Promise<T>;

export interface ReadOptions {
  /** When the caller stops waiting: statements end by then. */
  readonly deadline?: Date | undefined;
}

/** All reads from one server. */
export function readsOf(pool: Pool): ReadAccount {
  return (accountId, work, options) => readAccount(pool, accountId, work, options);
}

export interface ReplicaOptions {
  // Of a streaming replica, or of a name that stands for several. Absent: the primary serves all reads.
  readonly url: string | undefined;
  readonly name: string;
  readonly maxConnections: number;
  readonly maxLagSeconds: number;
}

// How the replica was found by a read; the primary serves all but the first.
const FOUND = ['fresh', 'behind', 'away', 'failed'] as const;
type Found = (typeof FOUND)[number];

// For a connection, and for its first answer: after both there is still time for the primary.
const REPLICA_WAIT_MS = 500;

class Behind extends Error {}

/**
 * Reads from a replica that lacks nothing that was committed `maxLagSeconds` ago, else from the primary (ADR 19). The read's own connection is asked
 * how far its server is, before the snapshot is taken: so a name may stand for several replicas. Whatever this process has shown of an account is
 * never followed by something older.
 */
export function openReads(primary: Pool, options: ReplicaOptions, tools: ServiceTools): ReadAccount {
  const { url, name, maxConnections, maxLagSeconds } = options;
  if (url === undefined) return readsOf(primary);
  const replica = openPool('replica', { url, name, maxConnections, connectTimeoutMs: REPLICA_WAIT_MS }, tools);
  const watch = watchReplica({ primary, replica, maxLagMs: maxLagSeconds * 1_000, waitMs: REPLICA_WAIT_MS }, tools);
  const reads = counter(tools.metrics, {
    name: 'replica_reads_total',
    help: 'Reads that a replica may serve, by how it was found: the primary served those that it did not find fresh',
    labelNames: ['replica'],
  });
  beginAt0(
    reads,
    FOUND.map((found) => ({ replica: found })),
  );
  return async (accountId, work, options) => {
    try {
      const result = await readReplica(replica, watch, accountId, work, options);
      reads.inc({ replica: 'fresh' });
      return result;
    } catch (error) {
      reads.inc({ replica: foundBy(error, watch) });
    }
    const after = { statement: FLUSHED, take: (row: LogPosition) => watch.show(accountId, row) };
    return readAccount(primary, accountId, work, { ...options, after });
  };
}

function readReplica<T>(
  replica: Pool,
  watch: ReplicaWatch,
  accountId: number,
  work: (client: Client) => Promise<T>,
  options?: ReadOptions,
): Promise<T> {
  if (watch.isAway) throw new DatabaseUnavailable('the replica is away');
  const needed = watch.neededFor(accountId);
  if (needed === undefined) throw new Behind();
  const check = (row: LogPosition): void => {
    if (!hasReached(row, needed)) throw new Behind();
  };
  return readAccount(replica, accountId, work, {
    ...options,
    before: { statement: REPLAYED_WHERE, withinMs: REPLICA_WAIT_MS, take: check },
    after: { statement: REPLAYED, take: (row: LogPosition) => watch.show(accountId, row) },
  });
}

// Throws what the primary would say, too.
function foundBy(error: unknown, watch: ReplicaWatch): Found {
  if (error instanceof Behind) return 'behind';
  // Such as a conflict with recovery (40001), or a table that is not replayed yet.
  if (error instanceof DatabaseError) return 'failed';
  if (!(error instanceof DatabaseUnavailable) || sqlState(error.cause) === TOO_LONG) throw error;
  watch.lose(error);
  return 'away';
}

// The statement has had its time; nobody waits for it to have that twice.
const TOO_LONG = '57014';
