import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Registry, type CounterConfiguration, type GaugeConfiguration } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';
export type Metrics = Registry;

/** A registry of its own for each service object, so that several can live in one process. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const heap = new Gauge({
    name: 'nodejs_heap_size_limit_bytes',
    help: 'What the heap may grow to before the process ends',
    registers: [registry],
  });
  heap.set(getHeapStatistics().heap_size_limit);
  return registry;
}

/**
 * Lets a counter begin at 0 under these labels: one that first shows as 1 has not increased, says
 * Prometheus, and the first failure would alert nobody.
 */
export function initializeToZero<L extends string>(counter: Counter<L>, labels: readonly Readonly<Record<L, string>>[]): void {
  for (const each of labels) counter.inc(each, 0);
}

/**
 * The counter of this name, made on first use: several parts of a service may count the same thing
 * under different labels.
 */
export function counter<L extends string>(metrics: Metrics, options: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
  const known = metrics.getSingleMetric(options.name);
  // Whoever shares a counter passes the same options, and so the same labels.
  return known === undefined ? new Counter({ ...options, registers: [metrics] }) : (known as Counter<L>);
}

/** The gauge of this name, made on first use, like `counter`. */
export function gauge<L extends string>(metrics: Metrics, options: Omit<GaugeConfiguration<L>, 'registers'>): Gauge<L> {
  const known = metrics.getSingleMetric(options.name);
  return known === undefined ? new Gauge({ ...options, registers: [metrics] }) : (known as Gauge<L>);
}
