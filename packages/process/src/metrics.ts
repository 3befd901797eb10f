import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';
export type Metrics = Registry;

/** A registry of its own for each service object, so that several can live in one process. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}
