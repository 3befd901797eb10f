import { invalid } from '@survey/rpc/application-error.ts';

interface Message<Head> {
  head?: Head | null;
  chunk?: Buffer | null;
}

/** Reads the head of an upload, and returns it with the chunks of the body that follows. */
export async function readHead<Head>(
  requests: AsyncIterable<Message<Head>>,
): Promise<{ head: Head; chunks: AsyncIterable<Buffer> }> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
  return { head: first.value.head, chunks: chunksOf(messages) };
}

async function* chunksOf(messages: AsyncIterator<Message<unknown>>): AsyncGenerator<Buffer> {
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    if (message.value.chunk != null) yield message.value.chunk;
  }
}
