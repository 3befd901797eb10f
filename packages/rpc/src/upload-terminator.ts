import { invalid } from './application-error.ts';

// grpc-js half-closes a stream before it resets it: a cancelled upload looks complete until the
// reset arrives. So a complete upload ends with an empty message.
export const END_OF_UPLOAD = Symbol('end of upload');

const MARK = Buffer.alloc(0);

export interface Codec {
  readonly serialize: (message: unknown) => Buffer;
  readonly deserialize: (bytes: Buffer) => unknown;
}

/** Returns a codec for an upload's messages and its terminator. */
export function withUploadTerminator({ serialize, deserialize }: Codec): Codec {
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
