import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { outcomeSchema } from './outcome.ts';

it('is described by docs/outcome.schema.json', async () => {
  const schema = await format(JSON.stringify(z.toJSONSchema(outcomeSchema)), { parser: 'json', printWidth: 130 });
  await expect(schema).toMatchFileSnapshot(fileURLToPath(new URL('../../../../docs/outcome.schema.json', import.meta.url)));
});
