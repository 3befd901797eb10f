import { z } from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

// OpenTelemetry counts an empty variable as one that is not set.
const unlessEmpty = <S extends z.ZodType>(schema: S) => z.preprocess((value) => (value === '' ? undefined : value), schema);

const count = (preset: number) => unlessEmpty(z.coerce.number().int().min(1).default(preset));

/**
 * OpenTelemetry's own variables. With none of the first four nothing is exported. Those not listed here the exporter reads itself
 * (OTEL_EXPORTER_OTLP_HEADERS, _CERTIFICATE, _CLIENT_KEY, _CLIENT_CERTIFICATE, _TIMEOUT, _COMPRESSION), as does the description of the resource
 * (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES).
 */
export const traceSettings = {
  // Of a collector, to which /v1/traces is added; OTLP over HTTP, in protobuf.
  OTEL_EXPORTER_OTLP_ENDPOINT: unlessEmpty(z.url().optional()),
  // The whole address, for traces alone.
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: unlessEmpty(z.url().optional()),
  // There is no other: whoever asks for gRPC shall hear it now, and not find nothing in the collector.
  OTEL_EXPORTER_OTLP_PROTOCOL: unlessEmpty(z.enum(['http/protobuf']).optional()),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: unlessEmpty(z.enum(['http/protobuf']).optional()),
  OTEL_TRACES_EXPORTER: unlessEmpty(z.enum(['otlp', 'none']).optional()),
  OTEL_SDK_DISABLED: unlessEmpty(z.stringbool().default(false)),
  OTEL_TRACES_SAMPLER: unlessEmpty(z.enum(SAMPLERS).default('parentbased_always_on')),
  // The part of the traces that is kept, for the samplers by ratio.
  OTEL_TRACES_SAMPLER_ARG: unlessEmpty(z.coerce.number().min(0).max(1).default(1)),
  OTEL_BSP_SCHEDULE_DELAY: count(5_000),
  OTEL_BSP_EXPORT_TIMEOUT: count(30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: count(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count(512),
};

export type TraceSettings = z.output<z.ZodObject<typeof traceSettings>>;
