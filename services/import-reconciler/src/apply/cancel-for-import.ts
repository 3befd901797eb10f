import type { Client, Pool } from '@survey/postgres/database.ts';
import { repeat } from '@survey/process/repeat.ts';
import { endForImport } from '../tables/running-import.ts';

const LOOK_INTERVAL_MS = 300;

interface CancellationWatch extends AsyncDisposable {
  // Whether the transaction was ended because of an import.
  readonly wasCancelled: () => boolean;
}

/**
 * Ends the transaction of `tx`, even within a statement, as soon as an import of the account is
 * accepted. Dispose of the watch before releasing `tx`: another caller may get its connection.
 */
export async function cancelWhenImportAccepted(pool: Pool, tx: Client, accountId: number): Promise<CancellationWatch> {
  const { rows } = await tx.query<{ backend: number }>('select pg_backend_pid() as backend');
  const backend = rows[0]?.backend ?? 0;
  let ended = false;
  const look = async (): Promise<void> => {
    if (!ended) ended = await endForImport(pool, accountId, backend);
  };
  // While the database is unavailable or has no free connection, the next check follows soon.
  const looking = repeat(LOOK_INTERVAL_MS, look);
  return { wasCancelled: () => ended, [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose]() };
}
