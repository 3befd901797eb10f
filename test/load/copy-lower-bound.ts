import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FieldErrorList } from '@survey/import-reconciler/snapshot/field-errors.ts';
import { SNAPSHOT_LIMITS } from '@survey/import-reconciler/snapshot/read-snapshot.ts';
import { SnapshotSplitter } from '@survey/import-reconciler/snapshot/split.ts';
import { BinaryCopy } from '@survey/postgres/copy.ts';
import type { Pool } from '@survey/postgres/database.ts';

/**
 * The floor that imports are measured against: the same gzip file inflated, split into its records, and each record's bytes copied into
 * an unlogged table by COPY BINARY. Nothing is parsed, compared or kept. Answers with milliseconds.
 */
export async function measureCopyFloor(pool: Pool, gzipFile: string): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('drop table if exists floor; create unlogged table floor (ord integer, record bytea)');
    const startedAt = performance.now();
    await copyElements(new BinaryCopy(client, 'copy floor from stdin (format binary)'), gzipFile);
    return performance.now() - startedAt;
  } finally {
    await client.query('drop table if exists floor');
    client.release();
  }
}

async function copyElements(copy: BinaryCopy, gzipFile: string): Promise<void> {
  const splitter = new SnapshotSplitter(SNAPSHOT_LIMITS, new FieldErrorList());
  await pipeline(createReadStream(gzipFile), createGunzip({ chunkSize: 256 * 1024 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      splitter.feed(chunk);
      while (splitter.next()) {
        const { bytes, start, end } = splitter.element;
        copy.row(2);
        copy.int4(splitter.index);
        copy.bytes(bytes.subarray(start, end));
      }
      await copy.flush();
    }
  });
  await copy.end();
}
