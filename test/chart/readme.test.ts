import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { valuesTable, documentedValues } from './values-table.ts';

const CHARTS = new URL('../../charts/', import.meta.url);
const TABLE = /(<!-- values -->\n).*(<!-- \/values -->)/s;

describe.each(['survey', 'survey-deps'])('the README of %s', (chart) => {
  test('describes every value', async () => {
    const values = documentedValues(await readFile(new URL(`${chart}/values.yaml`, CHARTS), 'utf8'));
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter(({ text }) => text === '').map(({ name }) => name)).toEqual([]);
  });

  // `npm run test:chart -- -u` writes the table.
  test('contains the current table of values', async () => {
    const file = new URL(`${chart}/README.md`, CHARTS);
    const readme = await readFile(file, 'utf8');
    const table = valuesTable(await readFile(new URL(`${chart}/values.yaml`, CHARTS), 'utf8'));
    expect(readme).toMatch(TABLE);
    await expect(readme.replace(TABLE, (_, before: string, after: string) => `${before}${table}${after}`)).toMatchFileSnapshot(
      file.pathname,
    );
  });
});
