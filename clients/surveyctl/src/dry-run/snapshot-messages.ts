import type { CheckSnapshotRequest } from '@survey/proto/admin/v1/admin.ts';

/**
 * Yields a file as snapshot upload messages. A gzip file is detected by its first two bytes and
 * sent unchanged.
 */
export async function* snapshotMessages(
  accountId: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<CheckSnapshotRequest> {
  let beginning: Buffer = Buffer.alloc(0);
  let isBegun = false;
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (isBegun) {
      yield { chunk };
      continue;
    }
    beginning = Buffer.concat([beginning, chunk]);
    if (beginning.length < GZIP.length) continue;
    isBegun = true;
    yield headOf(accountId, beginning);
    yield { chunk: beginning };
  }
  if (isBegun) return;
  yield headOf(accountId, beginning);
  if (beginning.length > 0) yield { chunk: beginning };
}

const GZIP = Buffer.from([0x1f, 0x8b]);

function headOf(accountId: number, beginning: Buffer): CheckSnapshotRequest {
  const isGzip = beginning.subarray(0, GZIP.length).equals(GZIP);
  return { head: { account_id: accountId, content_encoding: isGzip ? 'gzip' : '' } };
}
