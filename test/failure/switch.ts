import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOn } from '@survey/process/listen.ts';

/** A TCP proxy whose target changes for new connections only, as when a host name changes. */
export interface Switch extends AsyncDisposable {
  readonly port: number;
  leadTo(targetPort: number): void;
}

export async function startSwitch(targetPort: number): Promise<Switch> {
  let target = targetPort;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect({ port: target });
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  const address = await listenOn(server, '127.0.0.1:0');
  return {
    port: Number(address.split(':').at(-1)),
    leadTo: (port) => {
      target = port;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
