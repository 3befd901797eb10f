import type { Log } from '@survey/process/log.ts';
import type { Pool } from 'pg';

const LOOK_INTERVAL_MS = 5_000;
// Shorter statements are not checked.
const LONG_MS = 10_000;
// One check may fall between the end of a statement and the arrival of its result.
const MAX_MISSED_LOOKS = 2;

/** A server process, identified even if its process id is reused. */
interface Backend {
  readonly pid: number;
  readonly started: string;
}

export const THIS_BACKEND = `select pid, extract(epoch from backend_start)::text as started from pg_stat_get_activity(pg_backend_pid())`;

const WORKING = `
select pid, extract(epoch from backend_start)::text as started from pg_stat_activity
where pid = any($1::int[]) and state in ('active', 'fastpath function call')`;

interface Watched {
  readonly backend: Backend;
  missed: number;
}

/** A connection that returned no result in time. */
export class ConnectionSilentError extends Error {
  override readonly name = 'ConnectionSilentError';
  readonly code = 'ETIMEDOUT';
}

/** A connection with a statement that may take minutes. */
interface Connection {
  readonly busyForMs: number;
  readonly isUnusuallyLong: boolean;
  lose(reason: Error): void;
}

/**
 * Watches statements that may take minutes. The server sends nothing while it works on one, so
 * another connection checks that it still does. If it does not, the connection was lost silently
 * and is closed.
 */
export class LongStatements {
  readonly #probe: Pool;
  readonly #log: Log;
  readonly #watched = new Map<Connection, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(probe: Pool, log: Log) {
    this.#probe = probe;
    this.#log = log;
  }

  /** Watches a connection until its usual limit is restored. */
  watch(client: Connection, backend: Backend): void {
    this.#watched.set(client, { backend, missed: 0 });
    const look = () => this.#look().catch((error: unknown) => this.#log.warn({ err: error }, 'long statements not checked'));
    this.#timer ??= setInterval(() => void look(), LOOK_INTERVAL_MS).unref();
  }

  // A server that cannot be queried may still work on them.
  async #look(): Promise<void> {
    for (const client of this.#watched.keys()) if (!client.isUnusuallyLong) this.#watched.delete(client);
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const longBusy = [...this.#watched].filter(([client]) => client.busyForMs > LONG_MS);
    if (longBusy.length === 0) return;
    const { rows } = await this.#probe.query<Backend>(WORKING, [longBusy.map(([, { backend }]) => backend.pid)]);
    for (const [client, watched] of longBusy) {
      const isWorking = rows.some(({ pid, started }) => pid === watched.backend.pid && started === watched.backend.started);
      watched.missed = isWorking || client.busyForMs < LONG_MS ? 0 : watched.missed + 1;
      if (watched.missed < MAX_MISSED_LOOKS) continue;
      this.#watched.delete(client);
      client.lose(new ConnectionSilentError('the server no longer executes the statement'));
    }
  }
}
