import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const alert = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().default('0s'),
  labels: z.object({ severity: z.string() }),
  annotations: z.object({ summary: z.string() }),
});

/** Writes the page of metrics and alerts from the sources and the chart. */
export async function alertsPage(): Promise<string> {
  const alerts = (await filesOf('charts/survey/alerts/*.yaml')).map((text) => alert.parse(parse(text)));
  const sources = await filesOf('{services,packages}/*/src/**/*.ts');
  const metrics = sources.flatMap((text) =>
    [...text.matchAll(/name: '([a-z_]+)',\s*help:\s*'([^']+)'/g)].map(([, name = '', help = '']) => `| \`${name}\` | ${help} |`),
  );
  return [
    '# Metrics and alerts',
    '',
    '## Alerts',
    '',
    '| Alert | Severity | After | Fires when |\n|---|---|---|---|',
    ...alerts.map(
      ({ alert: name, labels, annotations, for: after }) =>
        `| [${name}](../runbooks/${name}.md) | ${labels.severity} | ${after} | ${annotations.summary} |`,
    ),
    '',
    '## Metrics',
    '',
    'Each service serves its metrics at `/metrics` of its probe port, beside those of Node.js.',
    '',
    '| Metric | Meaning |\n|---|---|',
    ...[...new Set(metrics)].toSorted(),
  ].join('\n');
}

function filesOf(pattern: string): Promise<string[]> {
  const files = globSync(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' }).toSorted();
  return Promise.all(files.map((file) => readFile(`${ROOT}${file}`, 'utf8')));
}
