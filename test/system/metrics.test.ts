import { expect, test } from 'vitest';
import { SERVICES } from '@survey/local/service-environments.ts';
import { readComponents } from '../support/chart/components.ts';
import { metricNames, EXTERNAL_METRICS } from '../support/chart/metric-names.ts';
import { startFileStack } from '../support/file-stack.ts';

// An address that no process listens on: replica metrics appear all the same.
const replica = { DATABASE_REPLICA_URL: 'postgres://127.0.0.1:1/none' };
const { stack } = await startFileStack({ export: replica, 'scoring-anonymity': replica });

const scraped = new Map(
  await Promise.all(
    SERVICES.map(async (service) => {
      const response = await fetch(`http://${stack.services[service].probeAddress}/metrics`);
      return [service, await response.text()] as const;
    }),
  ),
);

test('every metric that alerts and dashboards ask for is measured by a service, or known to be measured by others', () => {
  // HELP is present before the first value.
  const measured = [...scraped.values()].flatMap((text) => [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]);
  const names = measured.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
  );
  const known = new Set([...names, ...Object.values(EXTERNAL_METRICS).flat()]);
  expect([...metricNames()].filter((name) => !known.has(name))).toEqual([]);
});

test.each(SERVICES)('%s opens as many connections as the chart counts', (service) => {
  const text = scraped.get(service) ?? '';
  const most = (of: string): number => Number(new RegExp(`^${of}_connections_max\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const { connections = 0, connectionsPerImport = 0, replicaConnections = 0 } = readComponents()[service] ?? {};
  const imports = 3;
  expect(most('database') + most('uploads')).toBe(connections + connectionsPerImport * imports);
  expect(most('replica')).toBe(replicaConnections);
});

test.each(SERVICES)('%s tells of its process, its database and the bus', (service) => {
  const text = scraped.get(service) ?? '';
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_limit_bytes', 'database_up', 'bus_connected'])
    expect(text).toContain(`# TYPE ${name} gauge`);
  expect(text).toMatch(/^database_up\{.*\} 1$/m);
});
