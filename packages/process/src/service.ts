import { createServer, type ServerResponse } from 'node:http';
import { causeOf } from './cause-of.ts';
import { type GrpcTls, grpcTlsOf } from './grpc-tls.ts';
import { listenOn } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openTraces } from './trace-export.ts';
import type { TraceSettings } from './trace-settings.ts';
import type { Traces } from './traces.ts';

/** A running service: tests can start and stop it, and `run` makes a process of it. */
export interface Service extends AsyncDisposable {
  // Bound address as host:port.
  readonly address: string;
  readonly probeAddress: string;
  // Fails readiness, so that the load balancer stops sending traffic before connections are closed.
  drain(): void;
}

export interface ServiceContext {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly traces: Traces;
  // Disposed in reverse order when the service stops.
  readonly resources: AsyncDisposableStack;
  // Conditions for /readyz, in addition to the service's own check.
  readonly readyChecks: (() => boolean)[];
  // TLS for calls between services; absent: no TLS.
  readonly grpcTls?: GrpcTls | undefined;
}

interface ServiceSettings extends Partial<TraceSettings> {
  PROBE_LISTEN: string;
  LOG_LEVEL: string;
  GRPC_TLS?: 'off' | 'mutual';
  GRPC_CERT_FILE?: string | undefined;
  GRPC_KEY_FILE?: string | undefined;
  GRPC_CA_FILE?: string | undefined;
}

// An opened service: its address, and whether it is ready now.
interface OpenedService {
  address: string;
  ready(): Promise<boolean>;
  // Called when the service is about to stop, before it is closed.
  drain?(): void;
}

/**
 * Starts a service with its log, metrics and probe port. When opening fails, disposes what was
 * opened.
 */
export async function startService(
  name: string,
  settings: ServiceSettings,
  open: (context: ServiceContext) => Promise<OpenedService>,
): Promise<Service> {
  const grpcTls = grpcTlsOf(name, settings);
  const resources = new AsyncDisposableStack();
  const log = createLog(name, settings.LOG_LEVEL);
  const metrics = createMetrics(name);
  const traces = await openTraces(name, settings, { log, metrics, resources });
  const readyChecks: (() => boolean)[] = [];
  let opened: OpenedService | undefined;
  const probes: Probes = resources.use(
    await serveProbes(settings.PROBE_LISTEN, { log, metrics }, async () => {
      return opened !== undefined && readyChecks.every((check) => check()) && (await opened.ready());
    }),
  );
  try {
    const { address } = (opened = await open({ log, metrics, traces, resources, readyChecks, grpcTls }));
    log.info({ address, probes: probes.address }, 'serving');
    return {
      address,
      probeAddress: probes.address,
      drain: () => {
        probes.drain();
        opened?.drain?.();
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

interface Probes extends AsyncDisposable {
  readonly address: string;
  // Makes /readyz fail from now on, so that no new traffic is sent here.
  drain(): void;
}

/**
 * Serves the probe port: /startupz and /livez succeed once the process serves (an unavailable
 * database must not cause restarts), /readyz while `ready` holds, /metrics in the Prometheus text
 * format.
 */
async function serveProbes(
  listen: string,
  { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
  ready: () => Promise<boolean>,
): Promise<Probes> {
  let draining = false;
  let toldReason = '';
  const answer = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === '/livez' || path === '/startupz') return send(response, 200, 'ok');
    if (path === '/readyz') return (await isReady()) ? send(response, 200, 'ok') : send(response, 503, 'not ready');
    if (path === '/metrics') return send(response, 200, await metrics.metrics(), metrics.contentType);
    return send(response, 404, 'no such probe');
  };
  // Logged once per reason, not at every probe.
  const tell = (error: unknown): false => {
    const reason = causeOf(error);
    if (reason !== toldReason) log.warn({ err: error }, `not ready: ${reason}`);
    toldReason = reason;
    return false;
  };
  const isReady = async (): Promise<boolean> => {
    if (draining || !(await ready().catch(tell))) return false;
    toldReason = '';
    return true;
  };
  const server = createServer((request, response) => {
    answer(request.url, response).catch((error: unknown) => {
      log.error({ err: error }, 'probe failed');
      send(response, 500, 'probe failed');
    });
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
