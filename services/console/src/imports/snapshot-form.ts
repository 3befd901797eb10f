import { PassThrough, type Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';

const GZIP = Buffer.from([0x1f, 0x8b]);
// Of a ZIP archive, as of .xlsx and .ods, and of an .xls.
const WORKBOOKS = ['PK\u0003\u0004', '\u00d0\u00cf\u0011\u00e0'].map((start) => Buffer.from(start, 'latin1'));
const MAX_FIELDS = 5;
const MAX_FIELD_BYTES = 1_000;

/** The body is not a multipart form, or contains no file. */
export class BusboyError extends Error {
  override readonly name = 'BusboyError';
}

interface SnapshotUpload {
  // Fields that precede the file.
  readonly fields: ReadonlyMap<string, string>;
  readonly name: string;
  readonly file: Readable;
  // 'gzip', detected by the first bytes, or empty.
  readonly encoding: string;
  readonly isEmpty: boolean;
  readonly isWorkbook: boolean;
  isTooLarge(): boolean;
}

/**
 * Reads the form up to its file and streams the file: it is never on disk and never whole in
 * memory. The signal's reason ends both.
 */
export function parseSnapshotForm(request: Request, maxBytes: number, signal: AbortSignal): Promise<SnapshotUpload> {
  return new Promise((resolve, reject) => {
    const failed = (error?: unknown): void => reject(new BusboyError('the form contains no file', { cause: error }));
    const parser = openParser(request, maxBytes);
    if (parser === undefined) return failed();
    const fields = new Map<string, string>();
    parser.on('field', (name: string, value: string) => fields.set(name, value));
    let hasFile = false;
    parser.on('file', (_field: string, file: Readable & { truncated?: boolean }, name: string) => {
      hasFile = true;
      peek(file, signal).then(
        ({ start, stream }) =>
          resolve({
            fields,
            name: name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '').slice(0, 100),
            file: stream,
            encoding: start.subarray(0, 2).equals(GZIP) ? 'gzip' : '',
            isEmpty: start.length === 0,
            isWorkbook: WORKBOOKS.some((one) => start.subarray(0, one.length).equals(one)),
            isTooLarge: () => file.truncated === true,
          }),
        failed,
      );
    });
    parser.on('error', failed);
    // An empty file ends together with the form.
    parser.on('finish', () => {
      if (!hasFile) failed();
    });
    request.on('aborted', () => failed());
    signal.addEventListener('abort', () => reject(signal.reason));
    request.pipe(parser);
  });
}

function openParser(request: Request, fileSize: number) {
  try {
    const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
    return new Busboy({ headers, limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, fileSize } });
  } catch {
    return undefined;
  }
}

// The first bytes show whether the file is compressed; the rest streams with backpressure.
async function peek(file: Readable, signal: AbortSignal): Promise<{ start: Buffer; stream: Readable }> {
  const stream = new PassThrough();
  const start = await new Promise<Buffer>((resolve, reject) => {
    file.once('error', reject).once('end', () => resolve(Buffer.alloc(0)));
    file.once('data', (chunk: Buffer) => {
      file.pause();
      resolve(chunk);
    });
  });
  stream.write(start);
  file.on('error', (error) => stream.destroy(error));
  signal.addEventListener('abort', () => stream.destroy(signal.reason));
  file.pipe(stream);
  return { start, stream };
}
