import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Link, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { remoteSpan } from './trace-context.ts';

// One per process: several services may run in it.
context.setGlobalContextManager(new AsyncLocalStorageContextManager());

/**
 * All attributes of a span besides its name, times and status. Nothing else compiles, so that no
 * key, query value, name or answer can leak by accident. Names follow OpenTelemetry's semantic
 * conventions where they exist.
 */
interface SpanAttributes {
  'http.request.method'?: string;
  // Route pattern, never the requested path.
  'http.route'?: string;
  'http.response.status_code'?: number;
  'rpc.system.name'?: 'grpc';
  // Service and method, as in proto/.
  'rpc.method'?: string;
  'messaging.system'?: 'nats';
  'messaging.operation.type'?: 'process';
  'messaging.consumer.group.name'?: string;
  'survey.account_id'?: number;
  'survey.import_uuid'?: string;
  'survey.import.state'?: string;
}

export interface SpanStart {
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
  // Traceparent of the remote parent. Without a valid one, servers and consumers begin a trace, and
  // all other work belongs to the current one.
  readonly parent?: string | undefined;
  // Traceparent of related work that does not determine this trace.
  readonly link?: string | undefined;
}

const KIND = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * A started span. Everything run `within` it, even later and asynchronously, belongs to it and logs
 * its trace id.
 */
export interface OpenSpan {
  within<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  // `reason` is a constant such as a code: an error's own message may contain a value.
  fail(reason: string): void;
  end(): void;
}

/**
 * Traces of one service (docs/adr/0018). Ids are always created and propagated; spans are recorded
 * only for an exporter.
 */
export class Traces {
  readonly #tracer: Tracer;

  constructor(provider: TracerProvider = new TracerProvider({ sampler: new AlwaysOffSampler() })) {
    this.#tracer = provider.getTracer('survey');
  }

  start(name: string, { kind, attributes = {}, parent, link }: SpanStart): OpenSpan {
    const around = contextOf(kind, parent);
    const span = this.#tracer.startSpan(name, { kind: KIND[kind], attributes: { ...attributes }, links: linksTo(link) }, around);
    const inside = trace.setSpan(around, span);
    return {
      within: (work) => context.with(inside, work),
      rename: (better) => void span.updateName(better),
      set: (attributes) => void span.setAttributes({ ...attributes }),
      fail: (reason) => void span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR }),
      end: () => span.end(),
    };
  }

  /** Runs the work in a span, which fails when the work throws. */
  async span<T>(name: string, start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    const span = this.start(name, start);
    try {
      return await span.within(() => work(span));
    } catch (error) {
      span.fail(reasonOf(error));
      throw error;
    } finally {
      span.end();
    }
  }
}

function contextOf(kind: SpanStart['kind'], parent: string | undefined): Context {
  const remote = remoteSpan(parent);
  if (remote !== undefined) return trace.setSpanContext(ROOT_CONTEXT, remote);
  // The context in which a message happens to arrive is not its parent.
  return kind === 'server' || kind === 'consumer' ? ROOT_CONTEXT : context.active();
}

function linksTo(traceparent: string | undefined): Link[] {
  const remote = remoteSpan(traceparent);
  return remote === undefined ? [] : [{ context: remote }];
}

// A code, a gRPC status or the error's class: constants from source code, never values.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'status' in error && typeof error.status === 'string' ? error.status : error.name;
}
