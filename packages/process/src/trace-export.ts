import { setTimeout as sleep } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import { Counter, type Metrics } from './metrics.ts';
import type { TraceSettings } from './trace-settings.ts';
import { Traces } from './traces.ts';

// An unavailable collector must not delay a service's stop.
const LAST_EXPORT_MAY_TAKE_MS = 3_000;

interface Reporting {
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Opens a service's traces. Spans are exported if OpenTelemetry's variables say so; otherwise only
 * ids are created and propagated.
 */
export async function openTraces(
  service: string,
  settings: Partial<TraceSettings>,
  context: Reporting & { readonly resources: AsyncDisposableStack },
): Promise<Traces> {
  if (!isWanted(settings)) return new Traces();
  // Loaded only when exporting.
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const url = endpointOf(settings);
  const exporter = new OTLPTraceExporter(url === undefined ? {} : { url });
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.namespace': 'survey' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: withSpanCount(exporter, context), ...batchesOf(settings) })],
  });
  // Rejects when the collector does not accept the last spans.
  const lastExport = (): Promise<void> => provider.shutdown().catch(() => undefined);
  context.resources.defer(() => Promise.race([lastExport(), sleep(LAST_EXPORT_MAY_TAKE_MS, undefined, { ref: false })]));
  return new Traces(provider);
}

function isWanted(settings: Partial<TraceSettings>): boolean {
  if (settings.OTEL_SDK_DISABLED === true || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  return settings.OTEL_TRACES_EXPORTER === 'otlp' || endpointOf(settings) !== undefined;
}

function endpointOf(settings: Partial<TraceSettings>): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: collector } = settings;
  return whole ?? (collector && `${collector.replace(/\/$/, '')}/v1/traces`);
}

function samplerOf({
  OTEL_TRACES_SAMPLER: name = 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: Partial<TraceSettings>) {
  const root = rootSampler(name, ratio ?? 1);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name.endsWith('traceidratio')) return new TraceIdRatioBasedSampler(ratio);
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new AlwaysOnSampler();
}

function batchesOf(settings: Partial<TraceSettings>) {
  const maxQueueSize = settings.OTEL_BSP_MAX_QUEUE_SIZE ?? 2_048;
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? 512),
    scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY ?? 5_000,
    exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT ?? 30_000,
  };
}

// The library drops unsent spans silently.
function withSpanCount(exporter: SpanExporter, { log, metrics }: Reporting): SpanExporter {
  const spans = new Counter({
    name: 'trace_spans_total',
    help: 'Spans by outcome: sent to the collector, or dropped because it did not accept them.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  let isUnavailable = false;
  return {
    export: (batch, done) =>
      exporter.export(batch, (result) => {
        const isLost = result.code !== ExportResultCode.SUCCESS;
        spans.inc({ outcome: isLost ? 'dropped' : 'sent' }, batch.length);
        if (isLost && !isUnavailable) log.warn('span export failed');
        isUnavailable = isLost;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
