import { isUtf8 } from 'node:buffer';
import { UnreadableSnapshotError } from './field-errors.ts';

export interface ParsedJson {
  text: string;
  value: unknown;
}

/**
 * Parses bytes[start..end) as one JSON value.
 *
 * @param pointer where the value stands, @param offset of its first byte in the body: both only for the message
 * @throws UnreadableSnapshot when the bytes are not UTF-8 (rule IMPORT-REQUEST-JSON-1) or not JSON. V8's own message is dropped: it quotes the text.
 */
export function parseJson(bytes: Buffer, start: number, end: number, pointer: string, offset: number): ParsedJson {
  const text = bytes.toString('utf8', start, end);
  // Decoding turns wrong bytes into U+FFFD. Looking for that first is much cheaper than checking every value for validity.
  if (text.includes('\u{fffd}') && !isUtf8(bytes.subarray(start, end)))
    throw new UnreadableSnapshotError({ pointer, detail: `not valid UTF-8 in the value at byte offset ${offset}` });
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new UnreadableSnapshotError({ pointer, detail: `invalid JSON in the value at byte offset ${offset}` });
  }
}
