import type { Client } from '@survey/postgres/database.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import { PLAN_VERSION } from '../tables/import-row.ts';

export interface Acceptance {
  accountId: number;
  importUuid: string;
  contentEncoding: 'gzip' | 'identity';
  employeesTotal: number;
  largestRecordBytes: number;
  idempotencyKey: string | undefined;
  // SHA-256 of the JSON bytes; only with an idempotency key.
  bodySha256: Buffer | undefined;
  // ContentDigest of the records; absent unless all of them are known, and for a rerun.
  contentDigest?: Buffer | undefined;
  // The API key that sent it; absent for a rerun.
  keyId?: string;
  // The import whose threshold an operator has overridden, and whose snapshot this one reruns.
  releasedFrom?: string;
}

/**
 * Takes the account's only slot for a running import. Returns false when it is taken (409), or when
 * its lock is not released within a second.
 */
export async function insertImport(tx: Client, acceptance: Acceptance): Promise<boolean> {
  await tx.query("set local lock_timeout = '1s'");
  const { rowCount } = await tx.query(
    `insert into imports.import
       (account_id, import_uuid, plan_version, content_encoding, employees_total, idempotency_key, body_sha256,
        rerun_of, deletes_allowed, traceparent, largest_record_bytes, key_id, content_digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8::uuid, $8::uuid is not null, $9, $10, $11, $12)
     on conflict do nothing`,
    [
      acceptance.accountId,
      acceptance.importUuid,
      PLAN_VERSION,
      acceptance.contentEncoding,
      acceptance.employeesTotal,
      acceptance.idempotencyKey ?? null,
      acceptance.bodySha256 ?? null,
      acceptance.releasedFrom ?? null,
      activeTraceparent() ?? null,
      acceptance.largestRecordBytes,
      acceptance.keyId ?? null,
      acceptance.contentDigest ?? null,
    ],
  );
  return rowCount === 1;
}

interface EarlierImport {
  import_uuid: string;
  body_sha256: Buffer;
}

/** Returns the import that an Idempotency-Key was used for before. */
export async function findByIdempotencyKey(tx: Client, accountId: number, key: string): Promise<EarlierImport | undefined> {
  const { rows } = await tx.query<EarlierImport>(
    'select import_uuid, body_sha256 from imports.import where account_id = $1 and idempotency_key = $2',
    [accountId, key],
  );
  return rows[0];
}
