import { createServer, type ServerResponse } from 'node:http';
import { listenOn } from './listen.ts';
import type { Metrics } from './metrics.ts';

export interface Probes extends AsyncDisposable {
  readonly address: string;
  // Makes /readyz fail from now on, so that no new traffic is sent here.
  drain(): void;
}

/**
 * Serves the probe port: /startupz and /livez succeed once the process serves (an unavailable
 * database must not cause restarts), /readyz while `ready` holds, /metrics in the Prometheus text
 * format.
 */
export async function serveProbes(listen: string, metrics: Metrics, ready: () => Promise<boolean>): Promise<Probes> {
  let draining = false;
  const answer = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === '/livez' || path === '/startupz') return send(response, 200, 'ok');
    if (path === '/readyz') return (await isReady()) ? send(response, 200, 'ok') : send(response, 503, 'not ready');
    if (path === '/metrics') return send(response, 200, await metrics.metrics(), metrics.contentType);
    return send(response, 404, 'no such probe');
  };
  const isReady = async (): Promise<boolean> => !draining && (await ready().catch(() => false));
  const server = createServer((request, response) => {
    answer(request.url, response).catch(() => send(response, 500, 'probe failed'));
  });
  const address = await listenOn(server, listen);
  return {
    address,
    drain: () => {
      draining = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
