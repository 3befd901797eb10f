import { getHeapStatistics } from 'node:v8';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';
export type Metrics = Registry;

/** Creates a separate registry per service object, so that several can run in one process. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const heap = new Gauge({
    name: 'nodejs_heap_size_limit_bytes',
    help: 'Maximum heap size of the process, in bytes.',
    registers: [registry],
  });
  heap.set(getHeapStatistics().heap_size_limit);
  return registry;
}

/**
 * Starts a counter at 0 for these labels. Prometheus sees no increase in a counter that first
 * appears as 1, so the first failure would not trigger an alert.
 */
export function initializeToZero<L extends string>(counter: Counter<L>, labels: readonly Readonly<Record<L, string>>[]): void {
  for (const each of labels) counter.inc(each, 0);
}

/**
 * Returns the counter of this name, created on first use: parts of a service may count the same
 * thing under different labels.
 */
export function counter<L extends string>(metrics: Metrics, options: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
  const existing = metrics.getSingleMetric(options.name);
  // Users of a shared counter pass the same options, and so the same labels.
  return existing === undefined ? new Counter({ ...options, registers: [metrics] }) : (existing as Counter<L>);
}

/** Returns the gauge of this name, created on first use, like `counter`. */
export function gauge<L extends string>(metrics: Metrics, options: Omit<GaugeConfiguration<L>, 'registers'>): Gauge<L> {
  const existing = metrics.getSingleMetric(options.name);
  return existing === undefined ? new Gauge({ ...options, registers: [metrics] }) : (existing as Gauge<L>);
}

/** Returns the histogram of this name, created on first use, like `counter`. */
export function histogram<L extends string>(
  metrics: Metrics,
  options: Omit<HistogramConfiguration<L>, 'registers'>,
): Histogram<L> {
  const existing = metrics.getSingleMetric(options.name);
  return existing === undefined ? new Histogram({ ...options, registers: [metrics] }) : (existing as Histogram<L>);
}
