import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenOn } from '@survey/process/listen.ts';
import type { Log } from '@survey/process/log.ts';
import { dropSlowReader } from './drop-slow-reader.ts';
import { closeIdle, refuseConnect, rejectMalformed } from './connection-errors.ts';

export interface HttpServer extends AsyncDisposable {
  readonly address: string;
  // From now on every answer closes its connection, so that clients meet another instance.
  drain(): void;
}

export interface HttpServerOptions {
  // For a whole request, body included.
  requestTimeoutMs: number;
  log: Log;
}

const HEADERS_TIMEOUT_MS = 5_000;
// Without a byte in either direction. An answer that is not read is noticed at the second time: node looks for progress by then.
const IDLE_TIMEOUT_MS = 4_000;
// Longer than the 60 s of usual balancers: the side that keeps a connection open must not be the one that closes it.
const KEEP_ALIVE_MS = 65_000;
const SHUTDOWN_TIMEOUT_MS = 15_000;

/** Serves HTTP/1.1. Every wait for a client has a limit, and what node:http refuses by itself is answered as a problem document, too. */
export async function serveHttp(listen: string, app: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { log, requestTimeoutMs } = options;
  let draining = false;
  const answers = new WeakMap<Socket, ServerResponse>();
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 250,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Refused in protocol.ts instead, with a body that says why.
    requireHostHeader: false,
  });
  server.timeout = IDLE_TIMEOUT_MS;
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answers.set(request.socket, response);
    dropSlowReader(response);
    if (draining) response.setHeader('Connection', 'close');
    app(request, response);
  };
  // With a listener of its own, a client that asks for 100 Continue gets it when the body is read, and a 401 instead of it.
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, handle);
  server.on('clientError', (error, socket: Socket) => rejectMalformed(error, socket, answers.get(socket), log));
  server.on('connect', (_request, socket: Socket) => refuseConnect(socket, log));
  server.on('timeout', (socket) => closeIdle(socket, answers.get(socket), log));
  const address = await listenOn(server, listen);
  const drain = (): void => {
    draining = true;
  };
  return {
    address,
    drain,
    [Symbol.asyncDispose]: () => {
      drain();
      return finish(server);
    },
  };
}

// Answers under way are finished. A connection whose answer had already promised to stay open is closed when it is idle.
async function finish(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const force = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(force);
}
