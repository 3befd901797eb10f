import { z } from 'zod';
import { LINE_SCHEMAS } from './line.ts';

/**
 * What a line may look like, as JSON Schema. The schemas that lines are read with say more: what no
 * JSON Schema can is in docs/dataset.md.
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
