import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { FactSpool } from './fact-spool.ts';

it('returns all facts in order, whatever their size', async () => {
  await using spool = await FactSpool.open();
  const sizes = [0, 1, 70_000, 3, 1_200_000, 65_532, 9];
  for (const [index, size] of sizes.entries()) await spool.add(Buffer.alloc(size, index));
  const facts: Uint8Array[] = [];
  for await (const fact of spool.facts()) facts.push(Buffer.from(fact));
  expect(facts.map(({ byteLength }) => byteLength)).toEqual(sizes);
  expect(facts.map(([first]) => first)).toEqual([undefined, 1, 2, 3, 4, 5, 6]);
});

it('leaves no file for a process that is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'));
  vi.stubEnv('TMPDIR', folder);
  await using spool = await FactSpool.open();
  await spool.add(Buffer.alloc(2 ** 21));
  expect(await readdir(folder)).toEqual([]);
});
