import type { ServiceError } from '@grpc/grpc-js';
import { toCallError } from './upstream-error.ts';

export type UnaryCallback<T> = (error: ServiceError | null, value?: T) => void;

/** Wraps a unary gRPC call in a promise. Aborting `signal` cancels the call. */
export function callToPromise<T>(
  start: (done: UnaryCallback<T>) => { cancel(): void },
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = start((error, value) => {
      signal?.removeEventListener('abort', cancel);
      if (error) reject(toCallError(error));
      // gRPC passes a value whenever it passes no error.
      else resolve(value as T);
    });
    const cancel = (): void => call.cancel();
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
  });
}
