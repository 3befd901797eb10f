import { once } from 'node:events';
import type { ClientWritableStream } from '@grpc/grpc-js';
import { END_OF_UPLOAD } from './upload-terminator.ts';
import { callToPromise, type UnaryCallback } from './unary-call.ts';

/**
 * Sends a source of messages as one call, no faster than the service reads them. Settles as soon as
 * the service responds; the rest of the source is then not read. If the source fails, cancels the
 * call and rejects with the source's error.
 */
export async function upload<T, R>(
  start: (done: UnaryCallback<R>) => ClientWritableStream<T | typeof END_OF_UPLOAD>,
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): Promise<R> {
  const answered = new AbortController();
  const failures: unknown[] = [];
  try {
    return await callToPromise<R>((done) => {
      const call = start(done);
      sendAll(call, source, answered.signal).catch((error: unknown) => {
        failures.push(error);
        call.cancel();
      });
      return call;
    }, signal);
  } catch (error) {
    throw failures.length > 0 ? failures[0] : error;
  } finally {
    answered.abort();
  }
}

// gRPC only stops draining a stream whose call is over and never ends it: hence the signal.
async function sendAll<T>(
  call: ClientWritableStream<T | typeof END_OF_UPLOAD>,
  source: AsyncIterable<T>,
  answered: AbortSignal,
): Promise<void> {
  for await (const message of source) {
    if (answered.aborted) return;
    if (!call.write(message)) await once(call, 'drain', { signal: answered }).catch(() => {});
  }
  if (!answered.aborted) call.end(END_OF_UPLOAD);
}
