import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FieldErrorList } from '@survey/import-reconciler/snapshot/field-errors.ts';
import { SNAPSHOT_LIMITS } from '@survey/import-reconciler/snapshot/read-snapshot.ts';
import { SnapshotSplitter } from '@survey/import-reconciler/snapshot/split.ts';
import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import type { Pool } from '@survey/postgres/database.ts';

/**
 * Measures the lower bound of an import in milliseconds: decompresses the same file, splits it into
 * records, and copies their bytes into an unlogged table with COPY BINARY.
 */
export async function measureCopyLowerBound(pool: Pool, gzipFile: string): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('drop table if exists lower_bound; create unlogged table lower_bound (ord integer, record bytea)');
    const startedAt = performance.now();
    const copy = new BinaryCopy(client, 'copy lower_bound from stdin (format binary)');
    await forEachElement(gzipFile, copy, (index, element) => {
      copy.row(2);
      copy.int4(index);
      copy.bytes(element);
    });
    return performance.now() - startedAt;
  } finally {
    await client.query('drop table if exists lower_bound');
    client.release();
  }
}

/** Decompresses a snapshot, splits it, and ends the copy that `add` writes its elements to. */
export async function forEachElement(
  gzipFile: string,
  copy: BinaryCopy,
  add: (index: number, element: Buffer) => void,
): Promise<void> {
  const splitter = new SnapshotSplitter(SNAPSHOT_LIMITS, new FieldErrorList());
  await pipeline(createReadStream(gzipFile), createGunzip({ chunkSize: 256 * 1024 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      splitter.feed(chunk);
      while (splitter.next()) {
        const { bytes, start, end } = splitter.element;
        add(splitter.index, bytes.subarray(start, end));
      }
      await copy.flush();
    }
  });
  await copy.end();
}
