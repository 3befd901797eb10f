import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { reservePort, tryToReservePort } from './ports.ts';

const run = promisify(execFile);
const inAnotherProcess = async (port: number): Promise<string> => {
  const script = `import(process.argv[1]).then(async ({ tryToReservePort }) => console.log(await tryToReservePort(${port})))`;
  const { stdout } = await run(process.execPath, ['--eval', script, new URL('./ports.ts', import.meta.url).href]);
  return stdout.trim();
};

it('reserves different ports, which other processes cannot reserve although nothing listens there', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, reservePort));
  expect(new Set(ports).size).toBe(20);
  expect(await inAnotherProcess(ports[0] ?? 0)).toBe('false');
});

it('leaves the port to the server, even after a restart', async () => {
  const port = await reservePort();
  for (let start = 0; start < 2; start += 1) {
    const server = createServer().listen(port, '127.0.0.1');
    await expect(once(server, 'listening')).resolves.toEqual([]);
    server.close();
    await once(server, 'close');
  }
});

it('does not reserve a port on which a program listens', async () => {
  const port = await reservePort();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  expect(await tryToReservePort(typeof bound === 'object' ? (bound?.port ?? 0) : 0)).toBe(false);
  expect(await tryToReservePort(port)).toBe(false);
  server.close();
});
