import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOn } from '@survey/process/listen.ts';

/**
 * A TCP proxy that can drop all data while connections stay open, as a network that loses packets.
 */
export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  /** Drops all data of existing and new connections. */
  swallow(): void;
  /** Forwards new connections again; connections with lost data stay silent. */
  heal(): void;
}

export async function startSilentProxy(targetPort: number, listen = '127.0.0.1:0'): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
    return socket;
  };
  const silence = (socket: Socket): void => {
    socket.unpipe().removeAllListeners('close').removeAllListeners('end');
    socket.once('close', () => sockets.delete(socket)).resume();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    if (isSilent) return silence(client);
    const behind = keep(connect({ port: targetPort, allowHalfOpen: true }));
    client.pipe(behind).pipe(client);
    client.once('close', () => behind.destroy());
    behind.once('close', () => client.destroy());
  });
  const address = await listenOn(server, listen);
  return {
    port: Number(address.split(':').at(-1)),
    swallow: () => {
      isSilent = true;
      for (const socket of sockets) silence(socket);
    },
    heal: () => {
      isSilent = false;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
