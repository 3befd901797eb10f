import { isUtf8 } from 'node:buffer';

/** A source line: its text, or why it has none. */
export type SourceLine = { number: number } & ({ text: string } | { fault: string });

// The longest line becomes a message of its own, and nats-server accepts at most 1 MiB by default.
const MAX_LINE_BYTES = 768 * 1024;
const NEWLINE = 0x0a;

/**
 * Splits NDJSON into numbered lines, in batches per chunk. Blank lines are counted and skipped.
 * Holds at most one line in memory.
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncIterable<SourceLine[]> {
  const begun = new BegunLine();
  let number = 0;
  const take = (end: Buffer): SourceLine | undefined => lineOf((number += 1), begun.finish(end));
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lines: SourceLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = take(chunk.subarray(start, end));
      if (line !== undefined) lines.push(line);
      start = end + 1;
    }
    begun.append(chunk.subarray(start));
    yield lines;
  }
  const last = take(Buffer.alloc(0));
  if (last !== undefined) yield [last];
}

/** The beginning of an incomplete line; bytes beyond the maximum length are dropped at once. */
class BegunLine {
  #pieces: Buffer[] = [];
  #bytes = 0;

  append(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    if (this.#bytes > MAX_LINE_BYTES) this.#pieces = [];
    // A copy: the source may reuse its buffer.
    else if (piece.byteLength > 0) this.#pieces.push(Buffer.from(piece));
  }

  /** Returns the whole line; undefined when it is too long. */
  finish(end: Buffer): Buffer | undefined {
    const isTooLong = this.#bytes + end.byteLength > MAX_LINE_BYTES;
    const line = isTooLong ? undefined : this.#pieces.length === 0 ? end : Buffer.concat([...this.#pieces, end]);
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }
}

function lineOf(number: number, bytes: Buffer | undefined): SourceLine | undefined {
  if (bytes === undefined) return { number, fault: `is longer than ${MAX_LINE_BYTES} bytes` };
  if (!isUtf8(bytes)) return { number, fault: 'is not UTF-8' };
  const text = withoutMark(bytes.toString('utf8'), number);
  return text.trim() === '' ? undefined : { number, text };
}

// Some Windows editors start a file with a byte order mark.
function withoutMark(text: string, number: number): string {
  return number === 1 && text.startsWith('\u{FEFF}') ? text.slice(1) : text;
}
