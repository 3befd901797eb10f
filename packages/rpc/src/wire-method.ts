import type { MethodDefinition as WireMethod } from '@grpc/grpc-js';
import { Page } from '@survey/proto/common/v1/page.ts';
import type { MessageType, MethodDefinition } from './definition.ts';
import { withUploadTerminator, type Codec } from './upload-terminator.ts';

// Encodes page.proto without ts-proto's copies: two per page when writing and one when reading,
// which are half of a page's cost in the gateway.
const JSON_TAG = 0x0a;
const GZIP_TAG = 0x10;
const ETAG_TAG = 0x1a;
const MAX_HEAD = 8;
const ONE_BYTE = 0x7f;

export function encodePage({ json, gzip, etag }: Page): Buffer {
  const validator = Buffer.from(etag ?? '');
  if (validator.length > ONE_BYTE) throw new Error('expected a short etag');
  const bytes = Buffer.allocUnsafe(MAX_HEAD + 2 + validator.length + json.length);
  let at = 0;
  if (etag != null) {
    bytes[at++] = ETAG_TAG;
    bytes[at++] = validator.length;
    at += validator.copy(bytes, at);
  }
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
  let at = 0;
  let etag: string | null = null;
  if (bytes[0] === ETAG_TAG && (bytes[1] ?? 0) <= ONE_BYTE) {
    at = 2 + (bytes[1] ?? 0);
    etag = bytes.toString('utf8', 2, at);
  }
  const gzip = bytes[at] === GZIP_TAG && bytes[at + 1] === 1;
  if (gzip) at += 2;
  if (bytes[at++] !== JSON_TAG) return Page.decode(bytes);
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return at + length === bytes.length ? { json: bytes.subarray(at), gzip, etag } : Page.decode(bytes);
}

/** Returns a method as grpc-js sends and receives it. */
export function wireMethod(service: string, method: MethodDefinition): WireMethod<unknown, unknown> {
  const { requestStream, responseStream } = method;
  const request = requestStream ? withUploadTerminator(codecOf(method.requestType)) : codecOf(method.requestType);
  const response = codecOf(method.responseType);
  return {
    path: `/${service}/${method.name}`,
    requestStream,
    responseStream,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
}

function codecOf(type: MessageType): Codec {
  // Only called with the result of a handler whose method returns a Page.
  if (type === Page) return { serialize: (message) => encodePage(message as Page), deserialize: decodePage };
  return { serialize: (message) => bufferOf(type.encode(message).finish()), deserialize: (bytes) => type.decode(bytes) };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
