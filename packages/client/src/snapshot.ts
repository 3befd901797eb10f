import type { EmployeeRecord } from './resources.ts';

export type Employees = Iterable<EmployeeRecord> | AsyncIterable<EmployeeRecord>;

/**
 * All employees that the import manages: an array, any other iterable, or a function that begins a
 * new iteration each time. Arrays and functions can be sent again when a response is lost. Other
 * iterables can be used up, and half a snapshot would offboard the other half.
 */
export type Snapshot = Employees | (() => Employees);

const CHUNK_CHARACTERS = 64 * 1024;

export class SnapshotBody {
  readonly isRepeatable: boolean;
  readonly #open: () => Employees;
  // Error of the caller's iteration: fetch would report it as a network failure.
  #failure: { readonly error: unknown } | undefined;

  constructor(snapshot: Snapshot) {
    this.isRepeatable = typeof snapshot === 'function' || Array.isArray(snapshot);
    this.#open = typeof snapshot === 'function' ? snapshot : () => snapshot;
  }

  /** Returns the body as gzip, compressed while it is sent and never held in memory. */
  open(): ReadableStream<Uint8Array> {
    return ReadableStream.from(this.#json()).pipeThrough(new CompressionStream('gzip'));
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async *#json(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    let text = '{"employees":[';
    let between = '';
    try {
      for await (const employee of this.#open()) {
        text += between + JSON.stringify(employee);
        between = ',';
        if (text.length < CHUNK_CHARACTERS) continue;
        yield encoder.encode(text);
        text = '';
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
    yield encoder.encode(`${text}]}`);
  }
}
