import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOn } from '@survey/process/listen.ts';

/** Address and probe address of an instance of a service. */
interface Instance {
  readonly serve: string;
  readonly probe: string;
}

interface Balancer extends AsyncDisposable {
  readonly address: string;
}

const PROBE_INTERVAL_MS = 250;
const PROBE_TAKES_MS = 1_000;

/**
 * Distributes the connections of one address over ready instances, as a Kubernetes Service does.
 */
export async function startBalancer(listen: string, instances: readonly Instance[]): Promise<Balancer> {
  const ready = new Set<Instance>();
  const probe = (): Promise<unknown> =>
    Promise.all(
      instances.map(async (instance) => {
        const isNowReady = await isReady(instance);
        if (isNowReady === true) ready.add(instance);
        else if (isNowReady === false) ready.delete(instance);
      }),
    );
  await probe();
  const probing = setInterval(() => void probe(), PROBE_INTERVAL_MS);
  let turn = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
    return socket;
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    const [instance] = [...ready].slice(turn++ % Math.max(1, ready.size));
    if (instance === undefined) {
      client.destroy();
      return;
    }
    const [host = '', port] = instance.serve.split(':');
    const behind = keep(connect({ host, port: Number(port), allowHalfOpen: true }));
    client.pipe(behind).pipe(client);
    client.once('close', () => behind.destroy());
    behind.once('close', () => client.destroy());
  });
  const address = await listenOn(server, listen);
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      clearInterval(probing);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

// Undefined without an answer in time: Kubernetes, too, removes a pod only after several of these.
async function isReady({ probe }: Instance): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(PROBE_TAKES_MS);
  try {
    const response = await fetch(`http://${probe}/readyz`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return signal.aborted ? undefined : false;
  }
}
