import type { MethodDefinition as WireMethod } from '@grpc/grpc-js';
import { Page } from '@survey/proto/common/v1/page.ts';
import { invalid } from './application-error.ts';
import type { MessageType, MethodDefinition } from './definition.ts';

// grpc-js half-closes a stream before it resets it: a cancelled upload looks complete until the
// reset arrives. So a complete upload ends with an empty message.
export const END_OF_UPLOAD = Symbol('end of upload');

const MARK = Buffer.alloc(0);

interface Codec {
  readonly serialize: (message: unknown) => Buffer;
  readonly deserialize: (bytes: Buffer) => unknown;
}

/** Returns a codec for an upload's messages and its terminator. */
function withUploadTerminator({ serialize, deserialize }: Codec): Codec {
  return {
    serialize: (message) => {
      if (message === END_OF_UPLOAD) return MARK;
      const bytes = serialize(message);
      if (bytes.length === 0) throw new Error('cannot send an empty message: it would end the upload');
      return bytes;
    },
    deserialize: (bytes) => (bytes.length === 0 ? END_OF_UPLOAD : deserialize(bytes)),
  };
}

/**
 * Yields the messages of an upload.
 * @throws when it ends without its terminator, because it is then incomplete
 */
export async function* readUntilTerminator(stream: AsyncIterable<unknown>): AsyncGenerator {
  for await (const message of stream) {
    if (message === END_OF_UPLOAD) return;
    yield message;
  }
  throw invalid('the upload ended before its body was complete: send it again');
}

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
