import type { Server } from 'node:net';

/** Splits host:port, such as 127.0.0.1:8080 or [::]:8080. */
export function parseListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  const port = Number(listen.slice(colon + 1));
  if (colon < 1 || !Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`not host:port: ${listen}`);
  return { host: listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port };
}

/** Starts listening. Returns the bound address as host:port. */
export async function listenOn(server: Server, listen: string): Promise<string> {
  const { host, port } = parseListen(listen);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`no port bound for ${listen}`);
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
