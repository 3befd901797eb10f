import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { metricNames } from '../support/chart/metric-names.ts';
import type { Manifest } from '../support/chart/manifest.ts';
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
  const mapsOf = async (release: string): Promise<Manifest[]> =>
    (await render({ values: ['profiles/ha.yaml'], release })).filter(
      ({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1',
    );
  const boardsIn = (maps: readonly Manifest[]) =>
    maps.flatMap(({ data }) => Object.values(data ?? {})).map((text) => dashboard.parse(JSON.parse(text)));

  test('are ConfigMaps that the Grafana sidecar selects, with any data source', async () => {
    const maps = await mapsOf('survey');
    const boards = boardsIn(maps);
    const files = await Promise.all(
      (await readdir(DASHBOARDS)).sort().map((file) => readFile(new URL(file, DASHBOARDS), 'utf8')),
    );
    const ofRelease = (text: string): string => text.replaceAll('$NAMESPACE', 'survey').replaceAll('$RELEASE', 'survey');
    expect(boards).toEqual(files.map((text) => ({ ...JSON.parse(ofRelease(text)), uid: expect.any(String) })));
    expect(boards.length).toBeGreaterThan(1);
    expect(boards.every(({ templating }) => templating.list.some(({ name }) => name === 'datasource'))).toBe(true);
    expect(Math.max(...maps.map(({ data }) => JSON.stringify(data).length))).toBeLessThan(1_000_000);
  });

  // Grafana stops saving dashboards when two have the same uid, or the same title in a folder.
  test('of two releases in a namespace have unique names, and show only their own release', async () => {
    const releases = ['survey', 'another'];
    const boards = await Promise.all(releases.map(async (release) => boardsIn(await mapsOf(release))));
    for (const key of ['uid', 'title'] as const)
      expect(new Set(boards.flat().map((board) => board[key])).size).toBe(boards.flat().length);
    for (const [place, ofRelease] of boards.entries()) {
      const selected = ofRelease
        .flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))
        .flatMap((expr) => expr.match(/\{[^}]*/g) ?? []);
      expect(selected.length).toBeGreaterThan(20);
      expect(selected.filter((labels) => !labels.startsWith(`{namespace="survey",release="${releases[place]}"`))).toEqual([]);
    }
  });

  test.skipIf(promtool === undefined)('contain only valid Prometheus expressions', async () => {
    const panels = boardsIn(await mapsOf('survey')).flatMap((board) => board.panels);
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
