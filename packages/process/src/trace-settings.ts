import { z } from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const count = (preset: number) => z.coerce.number().int().min(1).default(preset);
const optionalCount = z.coerce.number().int().min(1).optional();
const file = z.string().min(1).optional();
const compression = z.enum(['gzip', 'none']).optional();
// W3C Baggage: key=value pairs, separated by commas.
const pairs = z
  .string()
  .regex(/^\s*[^=,\s]+\s*=[^,]*(,\s*[^=,\s]+\s*=[^,]*)*$/, 'must be key=value pairs separated by commas')
  .optional();

/**
 * OpenTelemetry's own variables. Without any of the first four, nothing is exported. The last ones
 * are only checked here; the exporter and the resource detector read them.
 */
export const traceSettings = {
  // Base URL of a collector, to which /v1/traces is added; OTLP over HTTP, in protobuf.
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  // Complete URL for traces only.
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  // The only supported protocol: requesting gRPC fails here instead of exporting nothing.
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf']).optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.enum(['http/protobuf']).optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_SDK_DISABLED: z.stringbool().default(false),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  // Sampled share of traces, for the samplers by ratio.
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: count(5_000),
  OTEL_BSP_EXPORT_TIMEOUT: count(30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: count(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count(512),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TIMEOUT: optionalCount,
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: optionalCount,
  OTEL_EXPORTER_OTLP_COMPRESSION: compression,
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression,
  OTEL_EXPORTER_OTLP_CERTIFICATE: file,
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: file,
  OTEL_EXPORTER_OTLP_CLIENT_KEY: file,
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: file,
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file,
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: file,
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
};

export type TraceSettings = z.output<z.ZodObject<typeof traceSettings>>;
