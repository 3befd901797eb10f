import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { DEFAULT_PORT, LISTENERS, reserveBlock } from './port-block.ts';
import { reservePort } from './ports.ts';

it('gives every listener the port that the help of npm start documents', async () => {
  const help = await readFile(new URL('start.txt', import.meta.url), 'utf8');
  const portOf = await reserveBlock(1, new Set(LISTENERS));
  const documented = [...help.matchAll(/\+(\d+) {2}(?:demo )?([\w -]+?)(?:, gRPC|: the public API| {2}|\n)/g)];
  expect(documented.map(([, offset]) => Number(offset)).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 11 }).keys(),
  ]);
  for (const [, offset, name] of documented)
    expect(portOf(LISTENERS.find((one) => one === name) ?? 'gateway')).toBe(1 + Number(offset));
  expect(portOf('gateway metrics')).toBe(1 + 11);
  expect(portOf('console metrics')).toBe(1 + 17);
  expect(help).toContain(`default: ${DEFAULT_PORT}`);
});

it('names each port that is in use and what needs it', async () => {
  const first = (await reservePort()) + 1;
  const server = createServer().listen(first + 4, '127.0.0.1');
  await once(server, 'listening');
  await expect(reserveBlock(first, new Set())).rejects.toThrow(`others use ${first + 4} (NATS): stop them`);
  await expect(reserveBlock(first + 1, new Set(['Redis']))).rejects.toThrow('(gateway)');
  server.close();
});
