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
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Collector, such as `http://collector:4318`: OTLP over HTTP in protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional().describe('Complete address for traces, instead'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf']).optional().describe('gRPC (port 4317) is not supported'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.enum(['http/protobuf']).optional(),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe('`none` disables export; `otlp` without an endpoint sends to `http://localhost:4318`'),
  OTEL_SDK_DISABLED: z.stringbool().default(false).describe('`true` disables export'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_always_on')
    .describe('`parentbased_traceidratio` keeps a share of the traces, each as a whole'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('Share of traces that the samplers by ratio keep'),
  OTEL_BSP_SCHEDULE_DELAY: count(5_000).describe('Interval of exports, in milliseconds'),
  OTEL_BSP_EXPORT_TIMEOUT: count(30_000).describe('Timeout of an export, in milliseconds'),
  OTEL_BSP_MAX_QUEUE_SIZE: count(2_048).describe('Spans that are queued'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count(512).describe('Spans per export'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.describe('Headers of requests to the collector: key=value pairs, separated by commas'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TIMEOUT: optionalCount.describe('Timeout of a request to the collector, in milliseconds'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: optionalCount,
  OTEL_EXPORTER_OTLP_COMPRESSION: compression.describe('Compression of requests to the collector'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression,
  OTEL_EXPORTER_OTLP_CERTIFICATE: file.describe('Authority of the collector as PEM'),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: file,
  OTEL_EXPORTER_OTLP_CLIENT_KEY: file.describe('Key for the collector as PEM'),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: file,
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file.describe('Certificate for the collector as PEM'),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: file,
  OTEL_SERVICE_NAME: z.string().optional().describe('Name in all spans. Absent: that of the service'),
  OTEL_RESOURCE_ATTRIBUTES: pairs.describe('Attributes of all spans: key=value pairs, separated by commas'),
};

export type TraceSettings = z.output<z.ZodObject<typeof traceSettings>>;
