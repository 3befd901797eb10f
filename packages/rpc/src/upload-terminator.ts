import type { MethodShape, ServiceMethods } from './methods.ts';
import { invalid } from './application-error.ts';

// grpc-js half-closes a stream before it resets it: a cancelled upload looks complete until the
// reset arrives. So a complete upload ends with an empty message.
export const END_OF_UPLOAD = Symbol('the end of an upload');

const MARK = Buffer.alloc(0);

/** Returns a serialiser for an upload's messages and its terminator. */
export function serializeWithTerminator<T>(serialize: (message: T) => Buffer): (message: T | typeof END_OF_UPLOAD) => Buffer {
  return (message) => {
    if (message === END_OF_UPLOAD) return MARK;
    const bytes = serialize(message);
    if (bytes.length === 0) throw new Error('an empty message would be taken for the end');
    return bytes;
  };
}

/** Makes the upload methods decode the terminator as END_OF_UPLOAD; leaves the others unchanged. */
export function withUploadTerminator<D extends ServiceMethods>(methods: D): D {
  const marked = Object.entries(methods).map(([name, method]) => [name, method.requestStream ? readWithEnd(method) : method]);
  // The same methods by the same names.
  return Object.fromEntries(marked) as D;
}

function readWithEnd(method: MethodShape): MethodShape {
  return { ...method, requestDeserialize: (bytes) => (bytes.length === 0 ? END_OF_UPLOAD : method.requestDeserialize(bytes)) };
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
  throw invalid('the upload was cut off before its end');
}
