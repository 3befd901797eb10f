import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type HttpTlsFiles } from '@survey/process/http-tls.ts';
import { closeHttp, listenOn } from '@survey/process/listen.ts';
import type { Log } from '@survey/process/log.ts';
import { closeIdle, rejectConnect, rejectMalformed } from './connection-errors.ts';
import type { RequestHandler } from 'express';
import { Problem } from './problem.ts';

interface HttpServer extends AsyncDisposable {
  readonly address: string;
  /**
   * Closes each connection after its next response, so that clients connect to another instance.
   */
  drain(): void;
}

interface HttpServerOptions {
  /** Longest time to receive a request, including its body, in ms. */
  requestTimeoutMs: number;
  tls?: HttpTlsFiles;
  log: Log;
}

const HEADERS_TIMEOUT_MS = 5_000;
// Longest time without a byte in either direction. An unread response is detected at the second
// check, because node then looks for progress.
const IDLE_TIMEOUT_MS = 4_000;

/**
 * Serves HTTP/1.1, over TLS when the options name a certificate. Every wait for a client has a
 * limit, and errors of node:http itself are problem documents, too.
 */
export async function serveHttp(listen: string, app: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { log, requestTimeoutMs, tls = {} } = options;
  let draining = false;
  const answers = new WeakMap<Socket, ServerResponse>();
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 250,
    // checkProtocol rejects such requests instead, with a problem document.
    requireHostHeader: false,
  };
  const server = await createServer(serverOptions, tls, log);
  server.timeout = IDLE_TIMEOUT_MS;
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answers.set(request.socket, response);
    dropSlowReader(response);
    if (draining) response.setHeader('Connection', 'close');
    app(request, response);
  };
  // With a listener for checkContinue, the client is asked for its body only when the body is read.
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, handle);
  server.on('clientError', (error, socket: Socket) => rejectMalformed(error, socket, answers.get(socket), log));
  server.on('connect', (_request, socket: Socket) => rejectConnect(socket, log));
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
      return closeHttp(server);
    },
  };
}

const GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 64 * 1_024;

/**
 * Closes the connection when its client does not read the response within ten seconds, or longer if
 * it is large.
 */
function dropSlowReader(response: ServerResponse): void {
  // The whole response is written and only waits for the client to read it.
  response.once('prefinish', () => {
    const unread = response.socket?.writableLength ?? 0;
    const timer = setTimeout(() => response.destroy(), GRACE_MS + (unread / SLOWEST_BYTES_PER_SECOND) * 1_000).unref();
    response.once('close', () => clearTimeout(timer));
  });
}

/** Rejects what node:http would reject without a problem document (rule ERRORS-SHAPE-1). */
export const checkProtocol: RequestHandler = (request, _response, next) => {
  const hosts = countHosts(request.rawHeaders);
  if (hosts === 0 && request.httpVersion === '1.1') throw new Problem(400, 'The request has no Host header. Send one.');
  if (hosts > 1) throw new Problem(400, 'The request has several Host headers. Send one.');
  const coding = request.headers['transfer-encoding'];
  // node:http decodes chunked and passes on other codings as they are.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw new Problem(400, 'The Transfer-Encoding is not supported. Compress the body with Content-Encoding: gzip instead.');
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Problem(417, 'No expectation other than 100-continue is supported. Omit the Expect header.');
  }
  next();
};

// node:http exposes only the first of repeated headers.
const countHosts = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
