import { expect } from 'vitest';
import { createElementHasher } from './content-hash.ts';
import { KnownHashes } from './known-hashes.ts';
import { readSnapshot, type SnapshotReading, type SnapshotSummary } from './read-snapshot.ts';

export const hasher = await createElementHasher('salt');

/** A valid employee record with number n. */
export const R = (n: number) => ({ import_id: `E${n}`, email: `e${n}@x.io`, firstname: `F${n}`, lastname: `L${n}` });

async function* chunked(body: string | Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function read(body: string | Buffer, options: Partial<SnapshotReading> = {}): Promise<SnapshotSummary> {
  return readSnapshot(chunked(body), { encoding: 'identity', hasher, knownHashes: new KnownHashes(0), ...options });
}

/** Returns the field errors of a body with R(1) and the given changes. */
export async function findingsFor(changes: Record<string, unknown>): Promise<string[]> {
  return findingsIn(JSON.stringify({ employees: [{ ...R(1), ...changes }] }));
}

export async function findingsIn(body: string | Buffer): Promise<string[]> {
  const { findings, fieldErrorsTotal } = await read(body);
  expect(fieldErrorsTotal).toBe(findings.length);
  return findings.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}
