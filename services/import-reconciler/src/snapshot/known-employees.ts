import { readBinaryCopy } from '@survey/postgres/stream-rows.ts';
import type { Client } from '@survey/postgres/database.ts';
import { ContentDigest, type ElementHasher } from './content-hash.ts';
import { KnownHashes } from './known-hashes.ts';

export interface KnownEmployees {
  // Positions of employees by the hash of the last applied record.
  hashes: KnownHashes;
  // Positions of managed employees: created by this API and not deleted (rule IMPORT-THRESHOLD-3).
  managed: Int32Array;
}

/**
 * Loads what is needed to recognise unchanged records and missing employees: about 30 bytes per
 * employee.
 */
export async function loadKnownEmployees(tx: Client, accountId: number, expected: number): Promise<KnownEmployees> {
  const hashes = new KnownHashes(expected);
  const managed = new Int32Array(expected);
  let managedCount = 0;
  if (expected > 0)
    await forEachManagedEmployee(tx, accountId, (position, row, hashAt) => {
      managed[managedCount++] = position;
      if (hashAt !== undefined) hashes.add(position, row, hashAt);
    });
  return { hashes, managed: managed.subarray(0, managedCount) };
}

/** Returns the digest of all managed employees, in constant memory. */
export async function digestEmployees(tx: Client, accountId: number, hasher: ElementHasher): Promise<Buffer> {
  const digest = new ContentDigest(hasher);
  await forEachManagedEmployee(tx, accountId, (position, row, hashAt) => {
    if (hashAt === undefined) digest.add(position);
    else digest.add(position, row, hashAt);
  });
  return digest.toBytes();
}

type OnRow = (position: number, bytes: Buffer, hashAt: number | undefined) => void;

/**
 * Reads the position of each managed employee, and where the hash of the last applied record is.
 * COPY BINARY reads a million in 0.4 s, ten times as fast as rows.
 */
async function forEachManagedEmployee(tx: Client, accountId: number, onRow: OnRow): Promise<void> {
  // COPY takes no parameters; inAccount has checked that the account is a number. Employees that
  // are not deleted have an email_key, with an index on it.
  await readBinaryCopy(
    tx,
    `copy (select position, content_hash from imports.employee
           where account_id = ${accountId} and created_via = 'import_api' and email_key is not null) to stdout (format binary)`,
    (bytes, from) => readRows(bytes, from, onRow),
  );
}

// A row is a column count, then a length and the bytes of each column: 2 + (4+4) + (4+16 or 4).
const SHORTEST_ROW_BYTES = 14;
const MAX_ROW_BYTES = 30;
const TRAILER = -1;

function readRows(bytes: Buffer, from: number, onRow: OnRow): number {
  let at = from;
  while (bytes.length - at >= 2 && bytes.readInt16BE(at) !== TRAILER) {
    if (bytes.length - at < SHORTEST_ROW_BYTES) return at;
    const hasHash = bytes.readInt32BE(at + 10) !== -1;
    if (hasHash && bytes.length - at < MAX_ROW_BYTES) return at;
    onRow(bytes.readInt32BE(at + 6), bytes, hasHash ? at + 14 : undefined);
    at += hasHash ? MAX_ROW_BYTES : SHORTEST_ROW_BYTES;
  }
  return at;
}
