import { open, rm, mkdtemp, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LENGTH_BYTES = 4;
const WRITE_BYTES = 2 ** 20;

/**
 * Stores encoded facts on disk in order, for the lifetime of the object. They contain texts, so
 * the file has no name: it is gone however the process ends.
 */
export class FactSpool implements AsyncDisposable {
  readonly #file: FileHandle;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<FactSpool> {
    const folder = await mkdtemp(join(tmpdir(), 'surveyctl-'));
    const file = await open(join(folder, 'facts'), 'wx+', 0o600);
    await rm(folder, { recursive: true });
    return new FactSpool(file);
  }

  async add(fact: Uint8Array): Promise<void> {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(fact.byteLength);
    this.#pending.push(length, Buffer.from(fact));
    this.#pendingBytes += LENGTH_BYTES + fact.byteLength;
    if (this.#pendingBytes > WRITE_BYTES) await this.#write();
  }

  async *facts(): AsyncGenerator<Uint8Array> {
    await this.#write();
    let rest = Buffer.alloc(0);
    for await (const chunk of this.#file.createReadStream({ start: 0, autoClose: false })) {
      // Without an encoding, a stream of bytes yields buffers.
      rest = Buffer.concat([rest, chunk as Buffer]);
      for (let end = endOf(rest); end <= rest.byteLength; end = endOf(rest)) {
        yield rest.subarray(LENGTH_BYTES, end);
        rest = rest.subarray(end);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #write(): Promise<void> {
    await this.#file.appendFile(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

// End of the first fact.
function endOf(bytes: Buffer): number {
  return bytes.byteLength < LENGTH_BYTES ? Infinity : LENGTH_BYTES + bytes.readUInt32LE();
}
