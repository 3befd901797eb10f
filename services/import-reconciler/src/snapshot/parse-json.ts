import { isUtf8 } from 'node:buffer';
import { UnreadableSnapshotError } from './field-errors.ts';

interface ParsedJson {
  text: string;
  value: unknown;
}

/**
 * Parses bytes[start..end) as one JSON value. V8's own message is dropped because it quotes the
 * text.
 * @param pointer location of the value, for the message only
 * @param offset of its first byte in the body, for the message only
 * @throws UnreadableSnapshotError when the bytes are not UTF-8 (rule IMPORT-REQUEST-JSON-1) or not
 * JSON
 */
export function parseJson(bytes: Buffer, start: number, end: number, pointer: string, offset: number): ParsedJson {
  const text = bytes.toString('utf8', start, end);
  // Decoding replaces invalid bytes by U+FFFD. Looking for it first is much cheaper than validating
  // every value.
  if (text.includes('\u{fffd}') && !isUtf8(bytes.subarray(start, end)))
    throw new UnreadableSnapshotError({ pointer, detail: `not valid UTF-8 in the value at byte offset ${offset}` });
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new UnreadableSnapshotError({ pointer, detail: `invalid JSON in the value at byte offset ${offset}` });
  }
}
