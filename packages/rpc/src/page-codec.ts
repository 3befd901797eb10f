import { Page } from '../gen/survey/export/v1/export.ts';
import type { MethodShape, ServiceMethods } from './methods.ts';

// The wire format is that of export.proto, without ts-proto's copies: two per page when writing and
// one when reading, which are half of a page's cost in the gateway.
const JSON_TAG = 0x0a;
const GZIP_TAG = 0x10;
const MAX_HEAD = 8;

/** Replaces the codec of methods that return a Page by one that copies it at most once. */
export function withPageCodec<D extends ServiceMethods>(methods: D): D {
  const tuned = Object.entries(methods).map(([name, method]) => [name, answersWithPage(method) ? tune(method) : method]);
  // The same methods by the same names, with some functions replaced by equivalent ones.
  return Object.fromEntries(tuned) as D;
}

// Generated methods do not carry their message's name, but decoding an empty message reveals its
// shape.
function answersWithPage(method: MethodShape): boolean {
  const empty = method.responseDeserialize(Buffer.alloc(0));
  return (
    typeof empty === 'object' && empty !== null && Object.keys(empty).join() === Object.keys(Page.decode(Buffer.alloc(0))).join()
  );
}

function tune(method: MethodShape): MethodShape {
  // Only called with the result of this method's handler: a Page.
  return { ...method, responseSerialize: (value) => encodePage(value as Page), responseDeserialize: decodePage };
}

export function encodePage({ json, gzip }: Page): Buffer {
  const bytes = Buffer.allocUnsafe(MAX_HEAD + json.length);
  let at = 0;
  if (gzip) {
    bytes[at++] = GZIP_TAG;
    bytes[at++] = 1;
  }
  bytes[at++] = JSON_TAG;
  let rest = json.length;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  bytes.set(json, at);
  return bytes.subarray(0, at + json.length);
}

/**
 * Decodes a page as a view of the message's own bytes. Messages that encodePage did not write go to
 * the generated reader.
 */
export function decodePage(bytes: Buffer): Page {
  const gzip = bytes[0] === GZIP_TAG && bytes[1] === 1;
  let at = gzip ? 2 : 0;
  if (bytes[at++] !== JSON_TAG) return Page.decode(bytes);
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return at + length === bytes.length ? { json: bytes.subarray(at), gzip } : Page.decode(bytes);
}
