import type { EmployeeRecord } from './resources.ts';

/** Employees one by one, or the bytes of the whole JSON body, such as a stream of a file. */
export type SnapshotSource =
  | Iterable<EmployeeRecord>
  | AsyncIterable<EmployeeRecord>
  | AsyncIterable<Uint8Array>
  | ReadableStream<EmployeeRecord>
  | ReadableStream<Uint8Array>;

/**
 * All employees that the import manages: an array, a stream, any other iterable, or a function that
 * begins a new iteration each time. Arrays and functions can be sent again when a response is lost.
 * Other iterables can be used up, and half a snapshot would offboard the other half.
 */
export type Snapshot = SnapshotSource | (() => SnapshotSource);

const CHUNK_CHARACTERS = 64 * 1024;

export class SnapshotBody {
  readonly isRepeatable: boolean;
  readonly #open: () => SnapshotSource;
  // Error of the caller's iteration: fetch would report it as a network failure.
  #failure: { readonly error: unknown } | undefined;

  constructor(snapshot: Snapshot) {
    // Text is iterable, too.
    const source = typeof snapshot === 'object' ? (snapshot ?? {}) : {};
    if (typeof snapshot !== 'function' && !(Symbol.iterator in source || Symbol.asyncIterator in source))
      throw new TypeError('snapshot must be an array or another iterable of employees, or a function that returns one');
    this.isRepeatable = typeof snapshot === 'function' || Array.isArray(snapshot);
    this.#open = typeof snapshot === 'function' ? snapshot : () => snapshot;
  }

  /** Returns the body as gzip, compressed while it is sent and never held in memory. */
  open(): ReadableStream<Uint8Array> {
    return streamOf(this.#bytes()).pipeThrough(new CompressionStream('gzip'));
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async *#bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    try {
      yield* toBytes(this.#open());
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}

async function* toBytes(source: SnapshotSource): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  let text = '{"employees":[';
  let separator = '';
  let isJson = false;
  // The DOM's types know no iteration over streams.
  for await (const item of source as AsyncIterable<EmployeeRecord | Uint8Array<ArrayBuffer>>) {
    isJson ||= item instanceof Uint8Array;
    if (item instanceof Uint8Array) {
      yield item;
      continue;
    }
    text += separator + JSON.stringify(item);
    separator = ',';
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (!isJson) yield encoder.encode(`${text}]}`);
}

// ReadableStream.from is missing in some browsers.
function streamOf(bytes: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return();
    },
  });
}
