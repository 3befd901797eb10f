import type { Client, Pool } from '@survey/postgres/database.ts';
import { endForImport } from '../sql/running-import.ts';

const LOOK_INTERVAL_MS = 300;

export interface CancellationWatch extends AsyncDisposable {
  // Whether the transaction was ended for an import.
  readonly wasCancelled: () => boolean;
}

/**
 * Lets imports pass: while it stands, the transaction of `tx` is ended as soon as an import of the account is accepted, also in the middle of a
 * statement. It must be disposed of before `tx` is given back: the connection may be somebody else's afterwards.
 */
export async function cancelWhenImportAccepted(pool: Pool, tx: Client, accountId: number): Promise<CancellationWatch> {
  const { rows } = await tx.query<{ backend: number }>('select pg_backend_pid() as backend');
  const backend = rows[0]?.backend ?? 0;
  let ended = false;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    if (!ended) ended = await endForImport(pool, accountId, backend);
  };
  const timer = setInterval(() => {
    looking ??= look()
      // The database is away, or has no connection to give: the next look is soon.
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_INTERVAL_MS);
  return {
    wasCancelled: () => ended,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
