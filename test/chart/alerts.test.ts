import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { render } from './render.ts';
import { runTool } from './run-tool.ts';

const ROOT = new URL('../../', import.meta.url);
const { helm3, promtool } = inject('tools');
const series = z.record(z.string(), z.string());
const alertCase = z.strictObject({
  at: z.string(),
  // Rules are evaluated each minute unless this says otherwise.
  every: z.string().optional(),
  firing: series,
  quiet: series,
});
type AlertCase = z.output<typeof alertCase>;
const rendered = z.array(z.looseObject({ alert: z.string() }));
const cases = z
  .record(z.string(), z.union([alertCase.transform((one) => [one]), z.array(alertCase)]))
  // All of it is text: 0x60 is no number here.
  .parse(parse(await readFile(new URL('alert-cases.yaml', import.meta.url), 'utf8'), { schema: 'failsafe' }));
const namesIn = async (folder: string, ending: string): Promise<string[]> =>
  (await readdir(new URL(folder, ROOT))).filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
const alerts = await namesIn('charts/survey/alerts', '.yaml');

// Runbooks that belong to no alert have lower-case names.
test('each alert has its runbook, and each runbook of an alert its alert', async () => {
  const runbooks = (await namesIn('docs/runbooks', '.md')).filter((name) => /^[A-Z]/.test(name) && name !== 'README');
  expect(runbooks.sort()).toEqual(alerts.sort());
});

test.each(alerts)('the runbook of %s says what it means, what it harms, how to look and what to do', async (alert) => {
  const text = await readFile(new URL(`docs/runbooks/${alert}.md`, ROOT), 'utf8');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([alert, 'Meaning', 'Impact', 'Diagnosis', 'Mitigation']);
});

test.skipIf(helm3 === undefined)('each alert has a severity that Alertmanager inhibits by, and a namespace', async () => {
  const object = (await render({ values: ['profiles/ha.yaml'] })).find(({ kind }) => kind === 'PrometheusRule');
  const [group] = z.array(z.object({ rules: z.array(z.looseObject({ labels: series })) })).parse(object?.spec?.['groups']);
  expect(group?.rules).toHaveLength(alerts.length);
  for (const { labels } of group?.rules ?? [])
    expect(labels).toEqual({ namespace: 'survey', severity: expect.stringMatching(/^(critical|warning|info)$/) });
});

test('each alert is tried out', () => expect(Object.keys(cases).sort()).toEqual(alerts.sort()));

describe.skipIf(helm3 === undefined || promtool === undefined)('alerts', () => {
  let folder = '';
  let rules: z.output<typeof rendered> = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-alerts-'));
    const object = (await render({ values: ['profiles/ha.yaml'] })).find(({ kind }) => kind === 'PrometheusRule');
    const [group] = z.array(z.object({ rules: rendered })).parse(object?.spec?.['groups']);
    rules = group?.rules ?? [];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('promtool takes the rules', async () => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'survey', rules }] }));
    const { code, stdout, stderr } = await runTool(promtool ?? '', ['check', 'rules', file]);
    expect({ code, said: code === 0 ? stdout : stderr }).toEqual({
      code: 0,
      said: expect.stringContaining(`${alerts.length} rules found`),
    });
  });

  test('each fires when it should, and is quiet when it should be', async () => {
    const files = (await Promise.all(rules.map((rule) => writeTrials(folder, rule)))).flat();
    const { code, stdout, stderr } = await runTool(promtool ?? '', ['test', 'rules', ...files]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });
});

// Each rule by itself: all others would be evaluated for each minute of each trial.
async function writeTrials(folder: string, rule: { alert: string }): Promise<string[]> {
  const { alert } = rule;
  const rules = `${alert}.rules.yaml`;
  await writeFile(join(folder, rules), stringify({ groups: [{ name: 'survey', rules: [rule] }] }));
  return Promise.all(
    (cases[alert] ?? []).map(async ({ every = '1m', ...alertCase }, place) => {
      const file = join(folder, `${alert}.${place}.test.yaml`);
      const tests = [trial(alert, alertCase, true), trial(alert, alertCase, false)];
      await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: every, tests }));
      return file;
    }),
  );
}

function trial(alert: string, { at, firing, quiet }: Omit<AlertCase, 'every'>, fires: boolean) {
  const inNamespace = (name: string): string => (name.includes('namespace="') ? name : name.replace('{', '{namespace="survey",'));
  return {
    name: `${alert} ${fires ? 'fires' : 'is quiet'}`,
    interval: '1m',
    input_series: Object.entries(fires ? firing : quiet).map(([name, values]) => ({ series: inNamespace(name), values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
        eval_time: at,
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
}
