import type { MethodDefinition as WireMethod } from '@grpc/grpc-js';
import { Page } from '@survey/proto/common/v1/page.ts';
import type { MessageType, MethodDefinition } from './definition.ts';
import { decodePage, encodePage } from './page-codec.ts';
import { withUploadTerminator, type Codec } from './upload-terminator.ts';

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
