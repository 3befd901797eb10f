import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Link, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { remoteSpan } from './trace-context.ts';

// One for the process: several services may live in it.
context.setGlobalContextManager(new AsyncLocalStorageContextManager());

/**
 * All that a span may say beside its name, its times and whether it failed: nothing else compiles,
 * so no key, query value, person or answer gets in by carelessness. Names are those of
 * OpenTelemetry's semantic conventions where these have one.
 */
export interface SpanAttributes {
  'http.request.method'?: string;
  // The pattern, never the path as asked.
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
  // The traceparent of the work elsewhere that this one belongs to. Without one that can be read,
  // what comes from outside (server, consumer) begins a trace, and all else belongs to what is
  // under way here.
  readonly parent?: string | undefined;
  // The traceparent of something that this work has to do with, but that does not decide about its
  // trace.
  readonly link?: string | undefined;
}

const KIND = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * Some work that has begun. What runs `within` it, also later and asynchronously, logs its trace id
 * and belongs to it.
 */
export interface OpenSpan {
  within<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  // `reason` is one of a few words, such as a code: an error's own message may repeat a value.
  fail(reason: string): void;
  end(): void;
}

/**
 * Traces of one service (docs/adr/0018). Ids are made and passed on in any case; spans are kept for
 * the exporter, if there is one.
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
      set: (more) => void span.setAttributes({ ...more }),
      fail: (reason) => void span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR }),
      end: () => span.end(),
    };
  }

  /** Does the work in a span, which fails when the work throws. */
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
  // What happens to be under way where a message arrives is not what it came for.
  return kind === 'server' || kind === 'consumer' ? ROOT_CONTEXT : context.active();
}

function linksTo(traceparent: string | undefined): Link[] {
  const remote = remoteSpan(traceparent);
  return remote === undefined ? [] : [{ context: remote }];
}

// A code, a status of gRPC or the kind of error: words of ours or of a library's source, never of a
// value.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'status' in error && typeof error.status === 'string' ? error.status : error.name;
}
