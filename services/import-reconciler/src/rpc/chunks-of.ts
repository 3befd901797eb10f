/** Yields the body chunks of an upload, after its head. */
export async function* chunksOf(messages: AsyncIterator<{ chunk?: Buffer | null }>): AsyncGenerator<Buffer> {
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    if (message.value.chunk != null) yield message.value.chunk;
  }
}
