import { context, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/**
 * The header in which a trace goes on elsewhere (W3C Trace Context): the same over HTTP, gRPC and
 * the bus.
 */
export const TRACEPARENT = 'traceparent';

/**
 * What is under way, for whoever carries it on: version-trace id-span id-flags. Undefined outside
 * any trace.
 */
export function activeTraceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (span === undefined) return undefined;
  const flags = (span.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

/** For log lines: the trace and the span that are under way. */
export function activeTraceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getSpanContext(context.active());
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** What a traceparent names; undefined when there is none, or it is not one. */
export function remoteSpan(traceparent: string | undefined): SpanContext | undefined {
  const parsed = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parsed === null ? undefined : { ...parsed, isRemote: true };
}
