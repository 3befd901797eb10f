import { collectDefaultMetrics, Counter, Registry, type CounterConfiguration } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';
export type Metrics = Registry;

/** A registry of its own for each service object, so that several can live in one process. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** The counter of this name, made on first use: several parts of a service may count the same thing under different labels. */
export function counter<L extends string>(metrics: Metrics, options: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
  const known = metrics.getSingleMetric(options.name);
  // Whoever shares a counter passes the same options, and so the same labels.
  return known === undefined ? new Counter({ ...options, registers: [metrics] }) : (known as Counter<L>);
}
