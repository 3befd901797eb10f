import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LINE_SCHEMAS } from './line.ts';
import { readLine } from './read-line.ts';

const DOCS = fileURLToPath(new URL('../../../../docs', import.meta.url));

async function examples(): Promise<string[]> {
  return (await readFile(`${DOCS}/examples/dataset.ndjson`, 'utf8')).trimEnd().split('\n');
}

describe('docs/examples/dataset.ndjson', () => {
  it('has a valid example of every kind of line', async () => {
    const readings = (await examples()).map((json) => readLine(json));
    expect(readings.filter((reading) => 'reason' in reading)).toEqual([]);
    const kinds = readings.flatMap((reading) => ('line' in reading ? [reading.line] : []));
    const shown = kinds.map((line) => (line.kind === 'employee' && 'employee' in line ? 'employee_edit' : line.kind));
    expect(new Set(shown)).toEqual(new Set(Object.keys(LINE_SCHEMAS)));
  });

  it('writes the kind first', async () => {
    for (const json of await examples()) expect(json).toMatch(/^\{"kind":/);
  });
});

/**
 * Returns the JSON Schema of a line. The parsing schemas check more: docs/dataset.md lists what
 * JSON Schema cannot express.
 */
function datasetJsonSchema(): object {
  const titled = Object.entries(LINE_SCHEMAS).map(([title, schema]) => schema.meta({ title }));
  const { $schema, ...schema } = z.toJSONSchema(z.union(titled), { io: 'input' });
  return {
    $schema,
    title: 'A line of a dataset',
    description: 'One JSON object a line, in UTF-8. docs/dataset.md says what the lines mean.',
    ...schema,
  };
}

describe('docs/dataset.schema.json', () => {
  it('equals the schemas of the lines (vitest -u writes it)', async () => {
    const { code } = await format('schema.json', JSON.stringify(datasetJsonSchema()), { printWidth: 130 });
    await expect(code).toMatchFileSnapshot(`${DOCS}/dataset.schema.json`);
  });
});
