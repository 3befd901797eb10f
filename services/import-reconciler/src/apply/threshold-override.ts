import type { Client } from '@survey/postgres/database.ts';

export interface OverrideCandidate {
  state: string;
  deletes_allowed: boolean;
  // Whether the deletion threshold was the only reason for the cancellation.
  cancelled_for_deletes: boolean;
  content_encoding: 'gzip' | 'identity';
  employees_total: number;
  largest_record_bytes: number;
  // The import that reran its snapshot.
  released_as: string | null;
}

/**
 * Locks an import for the override. Returns 'held' while a worker runs it, undefined when the
 * account has no such import.
 */
export async function lockForOverride(
  tx: Client,
  accountId: number,
  importUuid: string,
): Promise<OverrideCandidate | 'held' | undefined> {
  const { rows } = await tx.query<OverrideCandidate>(
    `select state, deletes_allowed, cancelled_for_deletes, content_encoding, employees_total, largest_record_bytes,
            (select r.import_uuid from imports.import r where r.account_id = $1 and r.rerun_of = $2) as released_as
     from imports.import where account_id = $1 and import_uuid = $2 for update skip locked`,
    [accountId, importUuid],
  );
  if (rows[0] !== undefined) return rows[0];
  const there = await tx.query('select from imports.import where account_id = $1 and import_uuid = $2', [accountId, importUuid]);
  return there.rowCount === 0 ? undefined : 'held';
}

export async function markOverridden(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query('update imports.import set deletes_allowed = true where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
  ]);
}

/** Returns an import accepted after this one, in any state, other than `except`. */
export async function newerImport(
  tx: Client,
  accountId: number,
  importUuid: string,
  except: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ import_uuid: string }>(
    `select newer.import_uuid from imports.import newer
     join imports.import i on i.account_id = newer.account_id and i.accepted_at < newer.accepted_at
     where i.account_id = $1 and i.import_uuid = $2 and newer.import_uuid <> $3
     order by newer.accepted_at desc limit 1`,
    [accountId, importUuid, except],
  );
  return rows[0]?.import_uuid;
}

/** Moves the kept body of a locked import to another. Returns false when it was already deleted. */
export async function moveBody(tx: Client, accountId: number, from: string, to: string): Promise<boolean> {
  const kept = await tx.query(
    `update imports.import set body_kept_until = null where account_id = $1 and import_uuid = $2 and body_kept_until > statement_timestamp()`,
    [accountId, from],
  );
  if (kept.rowCount === 0) return false;
  const { rowCount } = await tx.query('update imports.payload set import_uuid = $3 where account_id = $1 and import_uuid = $2', [
    accountId,
    from,
    to,
  ]);
  return rowCount !== 0;
}
