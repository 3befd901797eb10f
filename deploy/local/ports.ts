import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Returns the preferred port of 127.0.0.1 if it is free, else any free one. 0: no preference. */
export async function freePort(preferred: number): Promise<number> {
  const [port = 0] = await freePorts([preferred]);
  return port;
}

/** Returns different ports, one per preferred port, in the same order. */
export async function freePorts(preferred: readonly number[]): Promise<number[]> {
  const held: Server[] = [];
  for (const port of preferred) held.push(await hold(port).catch(() => hold(0)));
  const ports = held.map(portOf);
  await Promise.all(held.map((server) => server.close() && once(server, 'close')));
  return ports;
}

async function hold(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const bound = server.address() as AddressInfo; // A server that listens on TCP has an AddressInfo.
  return bound.port;
}
