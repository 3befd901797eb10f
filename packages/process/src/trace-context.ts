import { context, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The W3C Trace Context header, the same over HTTP, gRPC and the bus. */
export const TRACEPARENT = 'traceparent';

/**
 * Returns the current traceparent, version-trace id-span id-flags, for downstream work; undefined
 * outside a trace.
 */
export function activeTraceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (span === undefined) return undefined;
  const flags = (span.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

/** Returns the ids of the current trace and span, for log lines. */
export function activeTraceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getSpanContext(context.active());
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** Returns the span that a traceparent names; undefined when it is absent or malformed. */
export function remoteSpan(traceparent: string | undefined): SpanContext | undefined {
  const parsed = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parsed === null ? undefined : { ...parsed, isRemote: true };
}
