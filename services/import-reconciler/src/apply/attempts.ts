import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';

// An import that ends its process, for lack of memory for example, leaves no error behind, and its
// transaction is rolled back. So an attempt is recorded before its work begins, by a transaction of
// its own. When the next attempt finds it in progress, the process has died in between. The death
// counts against the import, which runs alone from then on (import-worker.ts), so that imports that
// happened to run in the same process are not blamed twice.

/** Deaths of its process after which an import is given up. */
export const MAX_DEATHS = 2;

export interface StartedAttempt {
  readonly accountId: number;
  readonly importUuid: string;
  // Distinguishes the attempts at an import.
  readonly number: number;
}

const inProgress = new Set<StartedAttempt>();
const ended = new Set<StartedAttempt>();

const RECORD = `
insert into imports.attempt as a (account_id, import_uuid, number) values ($1::bigint, $2::uuid, $3::integer)
on conflict (account_id, import_uuid) do update set number = excluded.number, begun_at = excluded.begun_at, in_progress = true,
  deaths = a.deaths + (a.in_progress and a.begun_at > $4::timestamptz)::integer
returning deaths`;

/**
 * Records an attempt before its work begins. Needs the account's lock. Returns the number of
 * earlier ones that ended their process.
 */
export async function recordAttempt(pool: Pool, attempt: StartedAttempt): Promise<number> {
  const { accountId, importUuid, number } = attempt;
  inProgress.add(attempt);
  return inAccount(pool, accountId, async (tx) => {
    // An attempt that began before PostgreSQL did was ended by PostgreSQL. Read before, because
    // Citus rejects the function in an update.
    const servers = await tx.query<{ started: string }>('select pg_postmaster_start_time()::text as started');
    const { rows } = await tx.query<{ deaths: number }>(RECORD, [accountId, importUuid, number, servers.rows[0]?.started]);
    return rows[0]?.deaths ?? 0;
  });
}

/** Notes that an attempt was committed, which has deleted its row. */
export function noteCommittedAttempt(attempt: StartedAttempt): void {
  inProgress.delete(attempt);
}

/** Records that an attempt has failed without ending the process. */
export async function endAttempt(pool: Pool, log: Log, attempt: StartedAttempt): Promise<void> {
  if (!inProgress.delete(attempt)) return;
  ended.add(attempt);
  await storeEndedAttempts(pool, log);
}

/** Records that this process stops on purpose: it may be killed before its imports have ended. */
export async function endRunningAttempts(pool: Pool, log: Log): Promise<void> {
  for (const attempt of inProgress) ended.add(attempt);
  await storeEndedAttempts(pool, log);
}

/**
 * Stores the ends of attempts that could not be stored before. Without PostgreSQL they remain for
 * the next call: neither a failed import nor a stop fails because of them.
 */
export async function storeEndedAttempts(pool: Pool, log: Log): Promise<void> {
  try {
    for (const attempt of ended) {
      const { accountId, importUuid, number } = attempt;
      await inAccount(pool, accountId, (tx) =>
        tx.query('update imports.attempt set in_progress = false where account_id = $1 and import_uuid = $2 and number = $3', [
          accountId,
          importUuid,
          number,
        ]),
      );
      ended.delete(attempt);
    }
  } catch (error) {
    log.warn({ err: error }, 'ends of import attempts not stored');
  }
}
