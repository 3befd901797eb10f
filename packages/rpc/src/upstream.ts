import { Client, type ServiceError } from '@grpc/grpc-js';
import type { ServiceContext } from '@survey/process/service.ts';
import { activeTraceparent, TRACEPARENT } from '@survey/process/trace-context.ts';
import type { SpanStart } from '@survey/process/traces.ts';
import { createBreaker } from './breaker.ts';
import { callerMetadata, type Caller } from './call-context.ts';
import { CHANNEL_LIMITS, RECONNECT } from './channel.ts';
import { channelCredentials } from './credentials.ts';
import { serializeWithTerminator } from './upload-terminator.ts';
import type { MethodShape, RequestOf, ResponseOf, ServiceMethods } from './methods.ts';
import { withPageCodec } from './page-codec.ts';
import { renewClient } from './renew-client.ts';
import { callToPromise, type UnaryCallback } from './unary-call.ts';
import { upload } from './upload.ts';
import { toCallError, UpstreamError } from './upstream-error.ts';

export interface CallOptions {
  readonly caller: Caller;
  readonly deadlineMs: number;
  // Aborted when the original caller cancels: cancels the call.
  readonly signal?: AbortSignal;
}

type Names<D, S extends { requestStream: boolean; responseStream: boolean }> = {
  [K in keyof D]: D[K] extends S ? K : never;
}[keyof D];
export type UnaryName<D> = Names<D, { requestStream: false; responseStream: false }>;
type UploadName<D> = Names<D, { requestStream: true; responseStream: false }>;
type ServerStreamName<D> = Names<D, { requestStream: false; responseStream: true }>;

/**
 * A gRPC service that this one calls.
 * @throws ApplicationError when the service returns one, UpstreamError when it fails or times out
 */
export interface Upstream<D extends ServiceMethods> extends Disposable {
  call<K extends UnaryName<D>>(name: K, request: RequestOf<D[K]>, options: CallOptions): Promise<ResponseOf<D[K]>>;
  // Never retried, and not guarded by the breaker: a slow upload as its trial call would reject all
  // others meanwhile.
  upload<K extends UploadName<D>>(
    name: K,
    requests: AsyncIterable<RequestOf<D[K]>>,
    options: CallOptions,
  ): Promise<ResponseOf<D[K]>>;
  serverStream<K extends ServerStreamName<D>>(
    name: K,
    request: RequestOf<D[K]>,
    options: CallOptions,
  ): AsyncIterable<ResponseOf<D[K]>>;
}

// Retries only what is safe: reads that the service never received, within a budget of 10 % of the
// calls.
const retryReads = (service: string, reads: readonly string[]): string =>
  JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    retryThrottling: { maxTokens: 20, tokenRatio: 0.1 },
    methodConfig: [
      {
        name: reads.map((method) => ({ service, method })),
        retryPolicy: {
          maxAttempts: 3,
          initialBackoff: '0.05s',
          maxBackoff: '0.5s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  });

const methodName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isRead = (path: string): boolean => /^(List|Get|Show|Decide)/.test(methodName(path));

function clientFor(methods: ServiceMethods, address: string, { grpcTls }: ServiceContext) {
  const paths = Object.values(methods).map(({ path }) => path);
  const [, service = ''] = paths[0]?.split('/') ?? [];
  const reads = paths.filter(isRead).map(methodName);
  const credentials = channelCredentials(grpcTls);
  const open = (): Client =>
    new Client(`dns:///${address}`, credentials, {
      ...CHANNEL_LIMITS,
      ...RECONNECT,
      'grpc.service_config': retryReads(service, reads),
    });
  return { service, open };
}

// Maximum time until new instances of a service get their share of the calls.
const RENEW_INTERVAL_MS = 5 * 60_000;

/** Connects to the service at an address; connections are renewed at an interval. */
export function connectUpstream<D extends ServiceMethods>(
  methods: D,
  address: string,
  context: ServiceContext,
  renewIntervalMs = RENEW_INTERVAL_MS,
): Upstream<D> {
  const { service, open } = clientFor(methods, address, context);
  const clients = renewClient(open, renewIntervalMs);
  const breaker = createBreaker(service, context);
  const codec = codecOf(methods);
  return {
    call: (name, request, options) => {
      const { path, serialize, deserialize } = codec(name);
      const askOnce = async (args: ReturnType<typeof callArguments>): Promise<ResponseOf<D[typeof name]>> => {
        using lease = clients.lease();
        return await callToPromise(
          (done) => withoutStack(() => lease.client.makeUnaryRequest(path, serialize, deserialize, request, ...args, done)),
          options.signal,
        );
      };
      // Within the same deadline. gRPC's own retries do not cover a stream that was reset.
      const ask = (): Promise<ResponseOf<D[typeof name]>> => {
        const args = callArguments(options);
        return askOnce(args).catch((error: unknown) => {
          if (isRead(path) && error instanceof UpstreamError && error.wasReset) return askOnce(args);
          throw error;
        });
      };
      return context.traces.span(...clientSpan(path), () => breaker.guard(ask));
    },
    upload: (name, requests, options) => {
      const { path, serialize, deserialize } = codec(name);
      const send = async (): Promise<ResponseOf<D[typeof name]>> => {
        using lease = clients.lease();
        const start = (done: UnaryCallback<ResponseOf<D[typeof name]>>) =>
          lease.client.makeClientStreamRequest(
            path,
            serializeWithTerminator(serialize),
            deserialize,
            ...callArguments(options),
            done,
          );
        return await upload(start, requests, options.signal);
      };
      return context.traces.span(...clientSpan(path), send);
    },
    serverStream: async function* (name, request, options) {
      const { path, serialize, deserialize } = codec(name);
      // The call begins with the first read: a caller that never reads would leave it open.
      using lease = clients.lease();
      const stream = lease.client.makeServerStreamRequest(path, serialize, deserialize, request, ...callArguments(options));
      yield* messagesOf(stream, options.signal);
    },
    [Symbol.dispose]: () => {
      breaker[Symbol.dispose]();
      clients[Symbol.dispose]();
    },
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

function codecOf<D extends ServiceMethods>(methods: D) {
  const tuned: ServiceMethods = withPageCodec(methods);
  return <K extends keyof D>(name: K) => {
    const method: MethodShape | undefined = tuned[String(name)];
    if (method === undefined) throw new Error(`no method ${String(name)}`);
    return {
      path: method.path,
      serialize: (value: RequestOf<D[K]>) => method.requestSerialize(value),
      // Method K returns ResponseOf<D[K]>, by the construction of the type.
      deserialize: (bytes: Buffer) => method.responseDeserialize(bytes) as ResponseOf<D[K]>,
    };
  };
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

async function* messagesOf<T>(stream: AsyncIterable<T> & { cancel(): void }, signal?: AbortSignal): AsyncIterable<T> {
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
