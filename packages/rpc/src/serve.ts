import { once, type EventEmitter } from 'node:events';
import {
  Server,
  status,
  type MethodDefinition as WireMethod,
  type sendUnaryData,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { bindableAddress } from '@survey/process/listen.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { Histogram } from '@survey/process/metrics.ts';
import { TRACEPARENT } from '@survey/process/trace-context.ts';
import type { OpenSpan } from '@survey/process/traces.ts';
import { HealthImplementation } from 'grpc-health-check';
import { readCaller, readPrincipal, type CallContext } from './call-context.ts';
import { authorizeCaller, CallerNotAllowedError } from './callers.ts';
import { CHANNEL_LIMITS, serverCredentials } from './channel.ts';
import { pageTooLarge } from './page.ts';
import type { MethodDefinition, MethodFunction, ServiceDefinition } from './definition.ts';
import { readUntilTerminator, wireMethod } from './wire-method.ts';
import { busy, ApplicationError, toGrpcStatus } from './application-error.ts';

type AnyHandler = MethodFunction<MethodDefinition, CallContext>;

/** The handlers of a service: a function for each method of its generated definition. */
export type Handlers<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]: MethodFunction<D['methods'][K], CallContext>;
};

// Deadline of a call that has none: no call waits forever.
const DEFAULT_DEADLINE_MS = 30_000;
// A client that is busy for some seconds keeps its connection: closing it would end all its calls.
const CLIENT_STALL_MS = 20_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const UNLIMITED_RESETS = 1_000_000_000;

type Duration = Histogram<'method' | 'outcome'>;
type AnyCall = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getDeadline' | 'getAuthContext' | 'cancelled'> &
  EventEmitter;

/** A gRPC service with its handlers. */
interface GrpcService {
  readonly definition: ServiceDefinition;
  // One handler per method, of the method's type.
  readonly handlers: Readonly<Record<string, AnyHandler>>;
}

/** Defines a service that is served on the same port as another one. */
export function defineService<D extends ServiceDefinition>(definition: D, handlers: Handlers<D>): GrpcService {
  return { definition, handlers };
}

/**
 * Serves a gRPC service, optionally more, and the standard health service. Calls are measured and
 * have a deadline and an abort signal. An ApplicationError reaches the caller; any other error
 * becomes INTERNAL without its text. Returns the bound address as host:port.
 */
export function serve<D extends ServiceDefinition>(
  listen: string,
  definition: D,
  handlers: Handlers<D>,
  context: ServiceContext,
  additionalServices: readonly GrpcService[] = [],
): Promise<string> {
  const duration = new Histogram({
    name: 'rpc_server_duration_seconds',
    help: 'Duration of gRPC calls at the server, in seconds.',
    labelNames: ['method', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [context.metrics],
  });
  const server = createServer();
  for (const service of [defineService(definition, handlers), ...additionalServices]) {
    const { fullName, methods } = service.definition;
    const wire = Object.entries(methods).map(([name, method]) => [name, wireMethod(fullName, method)] as const);
    const adapted = wire.map(([name, method]) => [
      name,
      adapt(method, requireHandler(service.handlers, name), context, duration),
    ]);
    server.addService(Object.fromEntries(wire), Object.fromEntries(adapted));
  }
  return bind(server, listen, context);
}

function createServer(): Server {
  // Clients renew their connections (upstream.ts). If the server closed a connection, it would
  // reset the calls that begin at that moment, and others with them.
  const server = new Server({ ...CHANNEL_LIMITS, 'grpc.keepalive_timeout_ms': CLIENT_STALL_MS });
  // node closes a session, with all its calls, after 1,000 cancelled calls plus 33 per second. That
  // protects against attackers, but our callers are our own services, whose cancelled calls must
  // not end others. grpc-js has no setting for it; these are the options that it passes to node.
  Object.assign(Reflect.get(server, 'commonServerOptions'), {
    streamResetBurst: UNLIMITED_RESETS,
    streamResetRate: UNLIMITED_RESETS,
  });
  return server;
}

async function bind(server: Server, listen: string, context: ServiceContext): Promise<string> {
  new HealthImplementation({ '': 'SERVING' }).addToServer(server);
  const address = await bindableAddress(listen);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, serverCredentials(context.grpcTls), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  context.resources.defer(() => shutDown(server));
  return `${address.slice(0, address.lastIndexOf(':'))}:${port}`;
}

function requireHandler<H>(handlers: Readonly<Record<string, H>>, name: string): H {
  const handler = handlers[name];
  if (handler === undefined) throw new Error(`no handler for ${name}`);
  return handler;
}

// In-flight calls end by themselves or at their deadlines; endless streams are cut.
async function shutDown(server: Server): Promise<void> {
  const force = setTimeout(() => server.forceShutdown(), 10_000);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(force);
}

function adapt(
  method: WireMethod<unknown, unknown>,
  handler: AnyHandler,
  service: ServiceContext,
  duration: Duration,
): UntypedHandleCall {
  const measured = <T>(call: AnyCall, work: (context: CallContext) => Promise<T>): Promise<T> => {
    const context = contextOf(call, service);
    const end = duration.startTimer({ method: method.path });
    const span = serverSpan(call, context, method.path, service);
    const serveCall = async (): Promise<T> => {
      using _deadline = context;
      try {
        const peer = service.grpcTls && authorizeCaller(call, service.grpcTls.service, method.path);
        const result = await work({ ...context, ...principalOf(call, context), ...(peer !== undefined && { peer }) });
        end({ outcome: 'ok' });
        return result;
      } catch (error) {
        const outcome = error instanceof ApplicationError ? error.code : 'error';
        end({ outcome });
        // An application error counts as served.
        if (outcome === 'error') span.fail(outcome);
        throw toServiceError(error, method.path, context);
      } finally {
        span.end();
      }
    };
    return span.within(serveCall);
  };
  if (method.requestStream) {
    const handle = handler as unknown as (requests: AsyncIterable<unknown>, call: CallContext) => Promise<unknown>;
    return (call: ServerReadableStream<unknown, unknown>, done: sendUnaryData<unknown>) =>
      answer(
        measured(call, (context) => handle(readUntilTerminator(call), context)),
        done,
      );
  }
  if (method.responseStream) {
    const handle = handler as unknown as (request: unknown, call: CallContext) => AsyncIterable<unknown>;
    return (call: ServerWritableStream<unknown, unknown>) => {
      measured(call, (context) => writeAll(call, handle(call.request, context), context.signal)).then(
        () => call.end(),
        (error: ServiceError) => call.emit('error', error),
      );
    };
  }
  const handle = handler;
  return (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>) =>
    answer(
      measured(call, (context) => handle(call.request, context)),
      done,
    );
}

function serverSpan(call: AnyCall, { accountId }: CallContext, path: string, { traces }: ServiceContext): OpenSpan {
  const method = path.slice(1);
  const account = accountId === undefined ? {} : { 'survey.account_id': accountId };
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method, ...account } as const;
  return traces.start(method, { kind: 'server', attributes, parent: call.metadata.get(TRACEPARENT)[0]?.toString() });
}

function answer(result: Promise<unknown>, done: sendUnaryData<unknown>): void {
  result.then(
    (value) => done(null, value),
    (error: ServiceError) => done(error),
  );
}

// A stream whose reader has left never drains: the signal ends the wait, and with it the handler.
async function writeAll(
  call: ServerWritableStream<unknown, unknown>,
  messages: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    signal.throwIfAborted();
    if (!call.write(message)) await once(call, 'drain', { signal });
  }
}

// Plain timers: AbortSignal.any and AbortSignal.timeout together cost thirty times as much.
function contextOf(call: AnyCall, context: ServiceContext): CallContext & Disposable {
  const callDeadline = call.getDeadline();
  const deadline = callDeadline === Infinity ? new Date(Date.now() + DEFAULT_DEADLINE_MS) : new Date(callDeadline);
  const abortController = new AbortController();
  const abortCall = (): void => abortController.abort(new Error('the caller has disconnected'));
  // A caller may have cancelled before its handler is called; then the event has passed.
  if (call.cancelled) abortCall();
  else call.once('cancelled', abortCall);
  const leftMs = Math.min(MAX_TIMER_MS, Math.max(0, deadline.getTime() - Date.now()));
  const timer = setTimeout(() => abortController.abort(new Error('the deadline passed')), leftMs).unref();
  const caller = readCaller(call.metadata);
  return {
    ...caller,
    deadline,
    signal: abortController.signal,
    log: context.log.child({
      request_id: caller.requestId,
      ...(caller.accountId !== undefined && { account_id: caller.accountId }),
    }),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function principalOf({ metadata }: AnyCall, { log }: CallContext): Pick<CallContext, 'onBehalfOf'> {
  try {
    return readPrincipal(metadata);
  } catch (error) {
    log.warn({ err: error }, 'call rejected');
    throw error;
  }
}

function toServiceError(error: unknown, method: string, context: CallContext): Partial<ServiceError> {
  if (error instanceof ApplicationError) return toGrpcStatus(error);
  if (error instanceof CallerNotAllowedError) return rejectCaller(error, context);
  if (isOverload(error)) {
    // Logged at debug level, because an overload rejects many calls, and probes report an
    // unavailable server.
    context.log.debug({ err: error, method }, 'database not available in time');
    return toGrpcStatus(busy('the database did not respond in time: retry with exponential backoff'));
  }
  // Raised by the postgres package if the service limits the size of results.
  if (error instanceof Error && error.name === 'ResultTooLargeError') return toGrpcStatus(pageTooLarge());
  if (context.signal.aborted) return { code: status.CANCELLED, details: 'the caller has disconnected or its deadline passed' };
  context.log.error({ err: error, method }, 'call failed');
  return { code: status.INTERNAL, details: 'internal error' };
}

function rejectCaller({ message: method }: CallerNotAllowedError, { log }: CallContext): Partial<ServiceError> {
  log.warn({ method }, 'caller rejected');
  return { code: status.PERMISSION_DENIED, details: 'this caller may not call this method' };
}

// Raised by the postgres package when no connection is free in time.
function isOverload(error: unknown): boolean {
  return error instanceof Error && error.name === 'DatabaseUnavailableError';
}
