import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { UnreadableSnapshotError } from './field-errors.ts';

export type ContentEncoding = 'gzip' | 'identity';

/**
 * The contract sets no limit on employees, so these limits exceed every real workforce: tens of
 * millions at 0.5 KB each.
 */
export interface BodyLimits {
  /** Maximum bytes of a gzip body as received. */
  compressedBytes: number;
  /** Maximum bytes of JSON, inflated or sent uncompressed. */
  jsonBytes: number;
  /**
   * Maximum JSON bytes per gzip byte, applied after 16 MiB are inflated. Real snapshots are near
   * 20.
   */
  inflationRatio: number;
}

/** For accepted bodies: their size is not checked again, even when the settings have changed. */
export const NO_LIMITS: BodyLimits = { compressedBytes: Infinity, jsonBytes: Infinity, inflationRatio: Infinity };

export const BODY_LIMITS: BodyLimits = { compressedBytes: 2 ** 30, jsonBytes: 16 * 2 ** 30, inflationRatio: 200 };

/**
 * Thrown while reading when a body exceeds a limit, which bounds memory and work; becomes 413 (rule
 * IMPORT-REQUEST-SIZE-1).
 */
export class SnapshotTooLargeError extends Error {
  readonly limit: keyof BodyLimits;
  readonly value: number;

  constructor(limit: keyof BodyLimits, value: number) {
    super(`the body is above the limit ${limit} of ${value}`);
    this.name = 'SnapshotTooLargeError';
    this.limit = limit;
    this.value = value;
  }
}

/** Bytes read so far. */
export interface BodySize {
  receivedBytes: number;
  jsonBytes: number;
}

const RATIO_COUNTS_FROM_BYTES = 16 * 2 ** 20;
// Output buffer of zlib.
const CHUNK_BYTES = 256 * 2 ** 10;
// Large enough that yielding to the event loop costs almost nothing; small enough to take only 1 to
// 2 ms. Another account's import makes dozens of round trips, and each may wait for one slice.
const SLICE_BYTES = 16 * 2 ** 10;

/**
 * Passes the JSON bytes of a body to `onBytes`, at most 16 KiB at a time, and yields to the event
 * loop after every 16 KiB. Applies backpressure, and closes the body when anything throws.
 * @param size is updated while reading
 * @throws SnapshotTooLargeError
 * @throws UnreadableSnapshotError when the body is not one or more complete gzip members and
 * nothing else (rule IMPORT-REQUEST-ENCODING-1)
 * @throws errors of `onBytes` and of the body
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: ContentEncoding,
  limits: BodyLimits,
  size: BodySize,
  onBytes: (slice: Buffer) => Promise<void>,
): Promise<void> {
  const meter = (chunks: AsyncIterable<Uint8Array>) =>
    countReceived(chunks, size, encoding === 'gzip' ? limits.compressedBytes : Infinity);
  const sink = (chunks: AsyncIterable<Uint8Array>) =>
    takeSlices(chunks, onBytes, (bytes) => countJson(bytes, size, encoding, limits));
  if (encoding === 'identity') return await pipeline(body, meter, sink);
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(body, meter, gunzip, freeFullChunks, sink);
  } catch (error) {
    throw isZlibError(error) ? notGzip() : error;
  }
  // zlib treats a zero byte after a member as padding and silently drops the rest.
  if (gunzip.bytesWritten !== size.receivedBytes) throw notGzip();
}

// Frees full chunks explicitly; otherwise 500 MB of garbage cause dozens of full heap marks. Only
// full chunks have no other user: zlib reuses the rest of a partial one.
async function* freeFullChunks(chunks: AsyncIterable<Buffer<ArrayBuffer>>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    if (chunk.length === CHUNK_BYTES) chunk.buffer.transfer(0);
  }
}

async function* countReceived(chunks: AsyncIterable<Uint8Array>, size: BodySize, max: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    size.receivedBytes += chunk.length;
    if (size.receivedBytes > max) throw new SnapshotTooLargeError('compressedBytes', max);
    yield chunk;
  }
}

function countJson(bytes: number, size: BodySize, encoding: ContentEncoding, limits: BodyLimits): void {
  size.jsonBytes += bytes;
  if (size.jsonBytes > limits.jsonBytes) throw new SnapshotTooLargeError('jsonBytes', limits.jsonBytes);
  const isBomb = size.jsonBytes > RATIO_COUNTS_FROM_BYTES && size.jsonBytes > limits.inflationRatio * size.receivedBytes;
  if (encoding === 'gzip' && isBomb) throw new SnapshotTooLargeError('inflationRatio', limits.inflationRatio);
}

async function takeSlices(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (slice: Buffer) => Promise<void>,
  count: (bytes: number) => void,
): Promise<void> {
  let sinceTurn = 0;
  for await (const chunk of chunks) {
    count(chunk.length);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      const slice = bytes.subarray(from, from + SLICE_BYTES);
      await onBytes(slice);
      sinceTurn += slice.length;
      if (sinceTurn < SLICE_BYTES) continue;
      sinceTurn = 0;
      await setImmediate();
    }
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}

function notGzip(): UnreadableSnapshotError {
  return new UnreadableSnapshotError({ pointer: '', detail: 'not valid gzip' });
}
