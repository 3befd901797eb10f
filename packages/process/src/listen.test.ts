import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { bindableAddress, listenOn, parseListen } from './listen.ts';

it.each(['127.0.0.1', '::1'])('takes connections to %s when it listens on [::]', async (host) => {
  const server = createServer((socket) => socket.end());
  const address = await listenOn(server, '[::]:0');
  const socket = connect(Number(address.split(':').at(-1)), host);
  await once(socket, 'connect');
  expect(socket.remoteAddress).toBe(host);
  socket.destroy();
  server.close();
});

it('listens on IPv4 where the machine has no IPv6', async () => {
  const without = (): Promise<boolean> => Promise.resolve(false);
  expect(await bindableAddress('[::]:9090', without)).toBe('0.0.0.0:9090');
  expect(await bindableAddress('127.0.0.1:9090', without)).toBe('127.0.0.1:9090');
});

it.each(['8080', ':8080', '0.0.0.0:', '0.0.0.0: ', 'host:-1', 'host:65536', 'host:1e3'])('rejects %j', (listen) => {
  expect(() => parseListen(listen)).toThrow(`not host:port: ${listen}`);
});
