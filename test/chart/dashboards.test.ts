import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { metricNames } from '../support/chart/metric-names.ts';
import { render } from '../support/chart/render.ts';
import { runTool } from '../support/chart/run-tool.ts';

const { helm3, promtool } = inject('tools');
const DASHBOARDS = new URL('../../charts/survey/dashboards/', import.meta.url);
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));
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

// Grafana publishes its dashboard schema as types: as literals, unknown fields are errors too.
async function checkTypes(literals: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-dashboards-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(MODULES, join(folder, 'node_modules'));
  const file = join(folder, 'dashboards.ts');
  const boards = literals.map((literal, index) => `export const board${index}: Dashboard = ${literal};`);
  await writeFile(file, ["import type { Dashboard } from '@grafana/schema';", ...boards].join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
  return (await runTool(TSC, [...options, file], { isMemoryLimited: false })).stdout;
}

describe("Grafana's dashboard schema", () => {
  test('accepts every dashboard', async () => {
    const files = await readdir(DASHBOARDS);
    expect(files.length).toBeGreaterThan(1);
    const literals = await Promise.all(files.map((file) => readFile(new URL(file, DASHBOARDS), 'utf8')));
    expect(await checkTypes(literals)).toBe('');
  });

  test('rejects a misspelt field of a panel', async () => {
    const overview = await readFile(new URL('overview.json', DASHBOARDS), 'utf8');
    expect(await checkTypes([overview.replaceAll('"gridPos"', '"gridPosition"')])).toContain('gridPosition');
  });
});

describe.skipIf(helm3 === undefined)('dashboards', () => {
  test('are ConfigMaps that the Grafana sidecar selects, with unique names and any data source', async () => {
    const manifests = await render({ values: ['profiles/ha.yaml'] });
    const maps = manifests.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const boards = maps.flatMap(({ data }) => Object.values(data ?? {})).map((text) => dashboard.parse(JSON.parse(text)));
    const files = await Promise.all(
      (await readdir(DASHBOARDS)).sort().map((file) => readFile(new URL(file, DASHBOARDS), 'utf8')),
    );
    expect(boards).toEqual(files.map((text) => JSON.parse(text)));
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
