import { z } from 'zod';
import { LINE_SCHEMAS } from './line.ts';

/**
 * Returns the JSON Schema of a line. The parsing schemas check more: docs/dataset.md lists what
 * JSON Schema cannot express.
 */
export function datasetJsonSchema(): object {
  const titled = Object.entries(LINE_SCHEMAS).map(([title, schema]) => schema.meta({ title }));
  const { $schema, ...schema } = z.toJSONSchema(z.union(titled), { io: 'input' });
  return {
    $schema,
    title: 'A line of a dataset',
    description: 'One JSON object a line, in UTF-8. docs/dataset.md says what the lines mean.',
    ...schema,
  };
}
