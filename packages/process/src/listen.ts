import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

const CLOSE_TIMEOUT_MS = 15_000;

/** Splits host:port, such as 127.0.0.1:8080 or [::]:8080. */
export function parseListen(listen: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(listen) ?? [];
  if (host === '' || Number(port) > 65_535) throw new Error(`not host:port: ${listen}`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * Returns the address to listen on: `[::]` takes connections over IPv6 and IPv4, and on a machine
 * without IPv6 becomes 0.0.0.0.
 */
export async function bindableAddress(listen: string, canListen = canListenOn): Promise<string> {
  const { host, port } = parseListen(listen);
  return host !== '::' || (await canListen(host)) ? listen : `0.0.0.0:${port}`;
}

function canListenOn(host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, host, () => server.close(() => resolve(true)));
  });
}

/** Starts listening. Returns the bound address as host:port. */
export async function listenOn(server: Server, listen: string): Promise<string> {
  const { host, port } = parseListen(await bindableAddress(listen));
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

/**
 * Stops listening, and completes running requests for up to 15 s. A connection whose response
 * promised keep-alive is closed once idle.
 */
export async function closeHttp(server: HttpServer): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(force);
}
