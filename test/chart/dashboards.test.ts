import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { metricNames } from '../support/chart/metric-names.ts';
import { render } from '../support/chart/render.ts';
import { runTool } from '../support/chart/run-tool.ts';

const { helm3, promtool } = inject('tools');
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

test('metricNames finds the metrics of alerts and dashboards', () => {
  expect([...metricNames()]).toEqual(
    expect.arrayContaining([
      'http_request_duration_seconds_count',
      'cnpg_collector_last_available_backup_timestamp',
      'answer_cache_bytes',
    ]),
  );
});

describe.skipIf(helm3 === undefined)('dashboards', () => {
  test('are ConfigMaps that the Grafana sidecar selects, with unique names and any data source', async () => {
    const manifests = await render({ values: ['profiles/ha.yaml'] });
    const maps = manifests.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const boards = maps.flatMap(({ data }) => Object.values(data ?? {})).map((text) => dashboard.parse(JSON.parse(text)));
    expect(boards.length).toBeGreaterThan(1);
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
    expect(boards.every(({ templating }) => templating.list.some(({ name }) => name === 'datasource'))).toBe(true);
    expect(Math.max(...maps.map(({ data }) => JSON.stringify(data).length))).toBeLessThan(1_000_000);
  });

  test.skipIf(promtool === undefined)('contain only valid Prometheus expressions', async () => {
    const manifests = await render({ values: ['profiles/ha.yaml'] });
    const maps = manifests.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const panels = maps
      .flatMap(({ data }) => Object.values(data ?? {}))
      .flatMap((text) => dashboard.parse(JSON.parse(text)).panels);
    const rules = panels.flatMap(({ targets }) => targets.map(({ expr }) => ({ record: 'panel', expr, labels: { id: expr } })));
    expect(rules.length).toBeGreaterThan(20);
    const folder = await mkdtemp(join(tmpdir(), 'survey-dashboards-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'rules.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'panels', rules }] }));
    const { code, stdout, stderr } = await runTool(promtool ?? '', ['check', 'rules', file]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });
});
