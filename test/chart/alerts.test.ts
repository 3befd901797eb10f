import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { render } from '../support/chart/render.ts';
import { runTool } from '../support/chart/run-tool.ts';

const ROOT = new URL('../../', import.meta.url);
const { helm3, promtool } = inject('tools');
const series = z.record(z.string(), z.string());
const alertCase = z.strictObject({
  at: z.string(),
  // Evaluation interval of the rules; default: 1 minute.
  every: z.string().optional(),
  firing: series,
  quiet: series,
});
type AlertCase = z.output<typeof alertCase>;
const rendered = z.array(z.looseObject({ alert: z.string() }));
const recordings = z.array(z.looseObject({ record: z.string() }));
/** Returns the rules of a group. */
async function rulesOf(group: 'survey' | 'survey-objectives'): Promise<unknown> {
  const object = (await render({ values: ['profiles/ha.yaml'] })).find(({ kind }) => kind === 'PrometheusRule');
  const groups = z.array(z.object({ name: z.string(), rules: z.unknown() })).parse(object?.spec?.['groups']);
  return groups.find(({ name }) => name === group)?.rules;
}
const cases = z
  .record(z.string(), z.union([alertCase.transform((one) => [one]), z.array(alertCase)]))
  // Every value is a string: `0x60` means "60 samples of 0", not a hexadecimal number.
  .parse(parse(await readFile(new URL('alert-cases.yaml', import.meta.url), 'utf8'), { schema: 'failsafe' }));
const namesIn = async (folder: string, ending: string): Promise<string[]> =>
  (await readdir(new URL(folder, ROOT))).filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
const alerts = await namesIn('charts/survey/alerts', '.yaml');

// Runbooks of operator tasks have lower-case names.
test('every alert has a runbook and every alert runbook has an alert', async () => {
  const runbooks = (await namesIn('docs/runbooks', '.md')).filter((name) => /^[A-Z]/.test(name) && name !== 'README');
  expect(runbooks.sort()).toEqual(alerts.sort());
});

test.each(alerts)('the runbook of %s says what customers notice, then how to find, mend and verify', async (alert) => {
  const text = await readFile(new URL(`docs/runbooks/${alert}.md`, ROOT), 'utf8');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([alert, 'Diagnosis', 'Mitigation', 'Verify']);
  expect(text).toMatch(/^# \w+\n\n[^#\s]/);
});

test.skipIf(helm3 === undefined)(
  'every alert has a namespace, a release and one of the severities that Alertmanager inhibits by',
  async () => {
    const rules = z.array(z.looseObject({ labels: series })).parse(await rulesOf('survey'));
    expect(rules).toHaveLength(alerts.length);
    for (const { labels } of rules)
      expect(labels).toEqual({
        namespace: 'survey',
        release: 'survey',
        severity: expect.stringMatching(/^(critical|warning|info)$/),
      });
  },
);

test.skipIf(helm3 === undefined)(
  'every alert has what its file says, names of the release, an action in one sentence, and a link to its runbook',
  async () => {
    for (const rule of rendered.parse(await rulesOf('survey'))) {
      const { expr: _expr, ...rest } = rendered.element.parse(
        parse(await readFile(new URL(`charts/survey/alerts/${rule.alert}.yaml`, ROOT), 'utf8')),
      );
      expect(rule).toMatchObject(rest);
      expect(rule['annotations']).toMatchObject({
        runbook_url: `docs/runbooks/${rule.alert}.md`,
        action: expect.stringMatching(/^[A-Z][^.]*\.$/),
      });
      expect(rule['expr']).not.toMatch(/\$[A-Z]/);
    }
  },
);

// The label of the alert leads to what to do.
test.each(['upload', 'wait', 'plan', 'apply'])(
  'the runbook of ImportSlow has normal times and a remedy for %s',
  async (phase) => {
    const text = await readFile(new URL('docs/runbooks/ImportSlow.md', ROOT), 'utf8');
    expect(text).toMatch(new RegExp(`^\\| \\x60${phase}\\x60( \\| [^|]*\\d[^|]*){4} \\|$`, 'm'));
    expect(text).toMatch(new RegExp(`^\\d\\. \\x60${phase}\\x60: `, 'm'));
  },
);

test('every alert has a test case', () => expect(Object.keys(cases).sort()).toEqual(alerts.sort()));

describe.skipIf(helm3 === undefined || promtool === undefined)('alerts', () => {
  let folder = '';
  let rules: z.output<typeof rendered> = [];
  let objectives: z.output<typeof recordings> = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-alerts-'));
    rules = rendered.parse(await rulesOf('survey'));
    objectives = recordings.parse(await rulesOf('survey-objectives'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('pass promtool check rules', async () => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'survey', rules: [...objectives, ...rules] }] }));
    const { code, stdout, stderr } = await runTool(promtool ?? '', ['check', 'rules', file]);
    expect({ code, output: code === 0 ? stdout : stderr }).toEqual({
      code: 0,
      output: expect.stringContaining(`${objectives.length + alerts.length} rules found`),
    });
  });

  // promtool takes half a minute of processor time.
  test('fire for the firing series of their cases and do not fire for the quiet series', { timeout: 300_000 }, async () => {
    const files = (await Promise.all(rules.map((rule) => writeTests(folder, rule, objectives)))).flat();
    const { code, stdout, stderr } = await runTool(promtool ?? '', ['test', 'rules', ...files], { seconds: 280 });
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  });
});

// One rule file per rule: promtool evaluates every rule of a file at every minute of each test.
async function writeTests(folder: string, rule: { alert: string }, objectives: z.output<typeof recordings>): Promise<string[]> {
  const { alert } = rule;
  const queried = JSON.stringify(rule);
  const recorded = objectives.filter(({ record }) => queried.includes(`${record}{`));
  const rules = `${alert}.rules.yaml`;
  await writeFile(join(folder, rules), stringify({ groups: [{ name: 'survey', rules: [...recorded, rule] }] }));
  return Promise.all(
    (cases[alert] ?? []).map(async ({ every = '1m', ...alertCase }, index) => {
      const file = join(folder, `${alert}.${index}.test.yaml`);
      const tests = [alertTest(alert, alertCase, true), alertTest(alert, alertCase, false)];
      await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: every, tests }));
      return file;
    }),
  );
}

// While another release in the namespace has the firing series, the quiet ones stay quiet. Only
// certificates are those of the namespace.
function alertTest(alert: string, { at, firing, quiet }: Omit<AlertCase, 'every'>, fires: boolean) {
  const ofRelease = (all: typeof firing, release: string): (readonly [string, string])[] =>
    Object.entries(all).map(([name, values]) => [
      name.includes('namespace="') ? name : name.replace('{', `{namespace="survey",release="${release}",`),
      values,
    ]);
  const ofOther = ofRelease(alert === 'CertExpiring' ? {} : firing, 'another').map(
    ([name, values]) => [name.replaceAll('"survey-', '"another-survey-'), values] as const,
  );
  const input = fires ? ofRelease(firing, 'survey') : [...ofRelease(quiet, 'survey'), ...ofOther];
  return {
    name: `${alert} ${fires ? 'fires' : 'does not fire'}`,
    interval: '1m',
    input_series: input.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
        eval_time: at,
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
}
