import type { ServiceError } from '@grpc/grpc-js';
import { toCallError } from './upstream-error.ts';

export type UnaryCallback<T> = (error: ServiceError | null, value?: T) => void;

/** The outcome of a call with one answer. An aborted signal cancels the call. */
export function callToPromise<T>(
  start: (done: UnaryCallback<T>) => { cancel(): void },
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = start((error, value) => {
      signal?.removeEventListener('abort', cancel);
      if (error) reject(toCallError(error));
      // gRPC calls back with the answer whenever it does not call back with an error.
      else resolve(value as T);
    });
    const cancel = (): void => call.cancel();
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
  });
}
