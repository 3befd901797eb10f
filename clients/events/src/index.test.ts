import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');

it('exports the type of the payload of every event', async () => {
  const events = await read('../../../packages/bus/src/events.ts');
  const payloads = [...events.matchAll(/^ {2}'events\.[\w.]+': (\w+),$/gm)].map(([, name = '']) => name);
  const [, exported = ''] = /export type \{([^}]*)\} from '@survey\/proto/.exec(await read('index.ts')) ?? [];
  expect(payloads).toContain('ImportEvent');
  expect(exported.match(/\w+/g)).toEqual(expect.arrayContaining(payloads));
});
