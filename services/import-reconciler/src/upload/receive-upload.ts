import { randomUUID } from 'node:crypto';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { BodyStore } from './store-body.ts';
import type { Uploads } from './uploads.ts';

interface Message<Head> {
  head?: Head | null;
  chunk?: Buffer | null;
}

interface Upload<Head> {
  importUuid: string;
  head: Head;
  chunks: AsyncIterable<Buffer>;
  body: BodyStore;
}

/**
 * Receives the head of an upload once a slot is free, and passes it on with the body's chunks.
 * Discards the stored chunks when the work fails.
 */
export function receiveUpload<Head extends { content_encoding: string; import_uuid?: string }, T>(
  uploads: Uploads,
  requests: AsyncIterable<Message<Head>>,
  call: CallContext,
  work: (upload: Upload<Head>) => Promise<T>,
): Promise<T> {
  const accountId = accountOf(call);
  return uploads.receive(call, accountId, async () => {
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
    const { head } = first.value;
    const importUuid = head.import_uuid ?? randomUUID();
    const body = new BodyStore(uploads, { accountId, importUuid });
    try {
      return await work({ importUuid, head, chunks: chunksOf(messages), body });
    } catch (error) {
      await body.discard();
      throw error;
    }
  });
}

async function* chunksOf(messages: AsyncIterator<Message<unknown>>): AsyncGenerator<Buffer> {
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    if (message.value.chunk != null) yield message.value.chunk;
  }
}
