import type { Client } from '@survey/postgres/database.ts';
import { forEachManagedEmployee } from './load-known-employees.ts';
import { ContentDigest } from './content-digest.ts';
import type { ElementHasher } from './element-hasher.ts';
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
