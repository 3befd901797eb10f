import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { metricNames } from './metric-names.ts';
import { render } from './render.ts';

const { helm3 } = inject('tools');
const dashboard = z.looseObject({
  uid: z.string().min(1),
  title: z.string().min(1),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string() })) }),
  panels: z.array(
    z.looseObject({
      title: z.string(),
      description: z.string().min(1),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string(), refId: z.string() })),
    }),
  ),
});

test('the names of metrics are found in alerts and dashboards', () => {
  expect([...metricNames()]).toEqual(
    expect.arrayContaining([
      'http_request_duration_seconds_count',
      'cnpg_collector_last_available_backup_timestamp',
      'answers_held_bytes',
    ]),
  );
});

describe.skipIf(helm3 === undefined)('dashboards', () => {
  test('are ConfigMaps that the sidecar finds, each with a name of its own, for any data source', async () => {
    const manifests = await render({ values: ['profiles/ha.yaml'] });
    const maps = manifests.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const boards = maps.flatMap(({ data }) => Object.values(data ?? {})).map((text) => dashboard.parse(JSON.parse(text)));
    expect(boards.length).toBeGreaterThan(1);
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
    expect(boards.every(({ templating }) => templating.list.some(({ name }) => name === 'datasource'))).toBe(true);
    expect(Math.max(...maps.map(({ data }) => JSON.stringify(data).length))).toBeLessThan(1_000_000);
  });
});
