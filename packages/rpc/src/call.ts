import { once } from 'node:events';
import type { ClientWritableStream, ServiceError } from '@grpc/grpc-js';
import { activeTraceparent, TRACEPARENT } from '@survey/process/trace-context.ts';
import type { SpanStart, Traces } from '@survey/process/traces.ts';
import type { Breaker } from './breaker.ts';
import { callerMetadata, type Caller } from './call-context.ts';
import { isRepeatable, type MethodDefinition } from './definition.ts';
import type { RenewedClient } from './renew-client.ts';
import { END_OF_UPLOAD, wireMethod } from './wire-method.ts';
import { toCallError, UpstreamError } from './upstream-error.ts';

export interface CallOptions {
  readonly caller: Caller;
  readonly deadlineMs: number;
  // Aborted when the original caller cancels: cancels the call.
  readonly signal?: AbortSignal;
}

interface Channel {
  readonly clients: RenewedClient;
  readonly breaker: Breaker;
  readonly traces: Traces;
}

/** Returns the function that calls a method. */
export function callOf(service: string, method: MethodDefinition, channel: Channel) {
  if (method.requestStream) return uploadCall(service, method, channel);
  if (method.responseStream) return streamCall(service, method, channel);
  return unaryCall(service, method, channel);
}

function unaryCall(service: string, method: MethodDefinition, { clients, breaker, traces }: Channel) {
  const { path, requestSerialize, responseDeserialize } = wireMethod(service, method);
  return (request: unknown, options: CallOptions): Promise<unknown> => {
    const callOnce = async (args: ReturnType<typeof callArguments>): Promise<unknown> => {
      using lease = clients.lease();
      const start = (done: UnaryCallback<unknown>) =>
        // Bounded: a tuple.
        withoutStack(() => lease.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, ...args, done));
      return await callToPromise(start, options.signal);
    };
    // Repeats a call whose stream was reset, within the same deadline; gRPC's own retries do not.
    const callWithRetry = (): Promise<unknown> => {
      const args = callArguments(options);
      return callOnce(args).catch((error: unknown) => {
        if (isRepeatable(method) && error instanceof UpstreamError && error.wasReset) return callOnce(args);
        throw error;
      });
    };
    // Bounded: a tuple.
    return traces.span(...clientSpan(path), () => breaker.guard(callWithRetry));
  };
}

// An upload is never repeated, and not guarded by the breaker: if a slow one were its trial call,
// all others would be rejected while it lasts.
function uploadCall(service: string, method: MethodDefinition, { clients, traces }: Channel) {
  const { path, requestSerialize, responseDeserialize } = wireMethod(service, method);
  return (requests: AsyncIterable<unknown>, options: CallOptions): Promise<unknown> => {
    const send = async (): Promise<unknown> => {
      using lease = clients.lease();
      const start = (done: UnaryCallback<unknown>) =>
        // Bounded: a tuple.
        lease.client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, ...callArguments(options), done);
      return await upload(start, requests, options.signal);
    };
    // Bounded: a tuple.
    return traces.span(...clientSpan(path), send);
  };
}

/**
 * Sends a source of messages as one call, no faster than the service reads them. Settles as soon as
 * the service responds; the rest of the source is then not read. If the source fails, cancels the
 * call and rejects with the source's error.
 */
async function upload<T, R>(
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

// gRPC stops draining a stream whose call is over, but never ends it, so the signal ends the wait.
async function sendAll<T>(
  call: ClientWritableStream<T | typeof END_OF_UPLOAD>,
  source: AsyncIterable<T>,
  answered: AbortSignal,
): Promise<void> {
  for await (const message of source) {
    if (answered.aborted) return;
    // The call itself reports its error.
    if (!call.write(message)) await once(call, 'drain', { signal: answered }).catch(() => {});
  }
  if (!answered.aborted) call.end(END_OF_UPLOAD);
}

function streamCall(service: string, method: MethodDefinition, { clients }: Channel) {
  const { path, requestSerialize, responseDeserialize } = wireMethod(service, method);
  return async function* (request: unknown, options: CallOptions): AsyncIterable<unknown> {
    // The call begins with the first read: a caller that never reads would leave it open.
    using lease = clients.lease();
    const args = callArguments(options);
    // Bounded: a tuple.
    const stream = lease.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, ...args);
    yield* messagesOf(stream, options.signal);
  };
}

// grpc-js captures a stack for each call in case it fails: 12 % of a page's cost in the gateway.
// The error's own stack is sufficient.
function withoutStack<T>(start: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return start();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function callArguments({ caller, deadlineMs }: CallOptions) {
  const metadata = callerMetadata(caller);
  const traceparent = activeTraceparent();
  if (traceparent !== undefined) metadata.set(TRACEPARENT, traceparent);
  return [metadata, { deadline: Date.now() + deadlineMs }] as const;
}

function clientSpan(path: string): [name: string, start: SpanStart] {
  const method = path.slice(1);
  return [method, { kind: 'client', attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } }];
}

async function* messagesOf(stream: AsyncIterable<unknown> & { cancel(): void }, signal?: AbortSignal): AsyncIterable<unknown> {
  const cancel = (): void => stream.cancel();
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  try {
    yield* stream;
  } catch (error) {
    // A gRPC stream fails only with a ServiceError.
    throw toCallError(error as ServiceError);
  } finally {
    signal?.removeEventListener('abort', cancel);
    stream.cancel();
  }
}

type UnaryCallback<T> = (error: ServiceError | null, value?: T) => void;

/** Wraps a unary gRPC call in a promise. Aborting `signal` cancels the call. */
function callToPromise<T>(start: (done: UnaryCallback<T>) => { cancel(): void }, signal: AbortSignal | undefined): Promise<T> {
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
