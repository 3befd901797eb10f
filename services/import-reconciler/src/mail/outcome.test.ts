import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { outcomeSchema } from './outcome.ts';

it('is described by docs/outcome.schema.json', async () => {
  const { code } = await format('schema.json', JSON.stringify(z.toJSONSchema(outcomeSchema)), { printWidth: 130 });
  await expect(code).toMatchFileSnapshot(fileURLToPath(new URL('../../../../docs/outcome.schema.json', import.meta.url)));
});
