import { setImmediate } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UnreadableSnapshotError } from './field-errors.ts';

export type ContentEncoding = 'gzip' | 'identity';

/** The contract names no limit on employees, so the ceilings stand where no workforce is: at half a kilobyte each, tens of millions. */
export interface BodyLimits {
  /** Bytes of a gzip body as received. */
  compressedBytes: number;
  /** Bytes of JSON, inflated or sent plainly. */
  jsonBytes: number;
  /** JSON bytes for each gzip byte, once more than 16 MiB were inflated. Real snapshots lie near 20. */
  inflationRatio: number;
}

/** For what was accepted: it is not judged by its size again, whatever the settings are by then. */
export const NO_LIMITS: BodyLimits = { compressedBytes: Infinity, jsonBytes: Infinity, inflationRatio: Infinity };

export const BODY_LIMITS: BodyLimits = { compressedBytes: 2 ** 30, jsonBytes: 16 * 2 ** 30, inflationRatio: 200 };

/** The body is above a ceiling: 413 (rule IMPORT-REQUEST-SIZE-1). Noticed while reading, so memory and work stay bounded. */
export class SnapshotTooLargeError extends Error {
  readonly limit: keyof BodyLimits;
  readonly value: number;

  constructor(limit: keyof BodyLimits, value: number) {
    super(`the body is above the limit ${limit} of ${value}`);
    this.name = 'SnapshotTooLarge';
    this.limit = limit;
    this.value = value;
  }
}

/** What was read so far. */
export interface BodySize {
  receivedBytes: number;
  jsonBytes: number;
}

const RATIO_COUNTS_FROM_BYTES = 16 * 2 ** 20;
// What zlib inflates at once.
const CHUNK_BYTES = 256 * 2 ** 10;
// Big enough that a turn of the event loop costs nothing beside the work; small enough that the work takes a millisecond or two: an import of another
// account makes dozens of round trips, and each may wait for it.
const SLICE_BYTES = 16 * 2 ** 10;

/**
 * Hands the JSON bytes of a body to `take`, at most 16 KiB at a time, and lets the event loop turn after every 16 KiB. The source is read
 * no faster than `take` returns, and is closed when anything throws.
 *
 * @param size is counted up while reading
 * @throws SnapshotTooLarge; UnreadableSnapshot when the body is not one or more whole gzip members and nothing else (rule IMPORT-REQUEST-ENCODING-1); whatever
 *   `take` or the source throws
 */
export async function readBody(
  source: AsyncIterable<Uint8Array>,
  encoding: ContentEncoding,
  limits: BodyLimits,
  size: BodySize,
  onBytes: (slice: Buffer) => Promise<void>,
): Promise<void> {
  const meter = (chunks: AsyncIterable<Uint8Array>) =>
    countReceived(chunks, size, encoding === 'gzip' ? limits.compressedBytes : Infinity);
  const sink = (chunks: AsyncIterable<Uint8Array>) =>
    takeSlices(chunks, onBytes, (bytes) => countJson(bytes, size, encoding, limits));
  if (encoding === 'identity') await pipeline(source, meter, sink);
  else await inflate(source, meter, sink, size);
}

async function inflate(
  source: AsyncIterable<Uint8Array>,
  meter: (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>,
  sink: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  size: BodySize,
): Promise<void> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(source, meter, gunzip, freeWhole, sink);
  } catch (error) {
    throw isZlibError(error) ? notGzip() : error;
  }
  // zlib takes a zero byte after a member for padding and silently drops it with all that follows.
  if (gunzip.bytesWritten !== size.receivedBytes) throw notGzip();
}

// Left to the garbage collector, half a gigabyte on its way through has it mark the whole heap dozens of times. A chunk that is full is nobody else's:
// zlib goes on in the rest of any other.
async function* freeWhole(chunks: AsyncIterable<Buffer<ArrayBuffer>>): AsyncGenerator<Buffer> {
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
