import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '@survey/process/log.ts';
import { Problem, PROBLEM_TYPE, problemBody } from './problem.ts';
import { requestIdFrom } from './request-context.ts';

// Long enough for the response to arrive before the connection is closed.
const LINGER_MS = 1_000;

/**
 * Responds to bytes that are not HTTP, or too slow or too large to become a request, which Node
 * reports without a request. While a response is pending, no second one is sent, because the client
 * would mistake it for the first.
 */
export function rejectMalformed(error: Error, socket: Socket, pending: ServerResponse | undefined, log: Log): void {
  // Closed, or already responded to: the parser reports an error for each further packet.
  if (!socket.writable) return;
  if ('code' in error && CANNOT_BE_ANSWERED.test(String(error.code))) socket.destroy();
  else if (pending === undefined || pending.writableFinished) reject(problemOf(error), socket, log);
  else leaveToPending(pending, problemOf(error), socket);
}

// The client has left, or there is no TLS session in which it could read a response.
const CANNOT_BE_ANSWERED = /^(ECONNRESET|ERR_SSL_|ERR_TLS_)/;

/** Rejects CONNECT, which node:http passes on as a bare socket. */
export function rejectConnect(socket: Socket, log: Log): void {
  reject(new Problem(405, 'The service is not a proxy. Send GET or POST.', { headers: { Allow: 'GET, POST' } }), socket, log);
}

// The unreadable bytes belong either to the body of the pending request, whose reader gets the
// problem, or to what follows it.
function leaveToPending(pending: ServerResponse, problem: Problem, socket: Socket): void {
  if (!pending.headersSent) pending.setHeader('Connection', 'close');
  if (!pending.req.complete) {
    malformed.set(pending.req, problem);
    pending.req.emit(MALFORMED_BODY, problem);
  }
  if (closing.has(socket)) return;
  closing.add(socket);
  pending.once('finish', () => close(socket));
}

const MALFORMED_BODY = 'malformedBody';
const malformed = new WeakMap<IncomingMessage, Problem>();

/**
 * Reports that the rest of a request's body cannot be read, even if the parser found out before
 * anybody read the body: it may arrive in one packet with the headers.
 */
export function onMalformedBody(request: IncomingMessage, report: (problem: Problem) => void): void {
  const problem = malformed.get(request);
  if (problem === undefined) request.once(MALFORMED_BODY, report);
  else report(problem);
}

const closing = new WeakSet<Socket>();

function close(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Closes a connection without traffic, with 408 if a request has begun. A pending request is left
 * alone: it has a deadline, and its body a minimum rate (request-body.ts).
 */
export function closeIdle(socket: Socket, answer: ServerResponse | undefined, log: Log): void {
  if (answer === undefined && socket.bytesRead > 0) reject(TOO_SLOW, socket, log);
  else if (answer === undefined || answer.writableEnded || answer.headersSent) socket.destroy();
}

export const HEADERS_TOO_LARGE = new Problem(
  431,
  'The request line and headers together exceed 16 KiB. Send fewer or shorter headers, or a shorter query.',
);
const TOO_SLOW = new Problem(408, 'The request did not arrive in time. Retry.');

function problemOf(error: Error): Problem {
  switch ('code' in error ? error.code : undefined) {
    case 'HPE_HEADER_OVERFLOW':
      return HEADERS_TOO_LARGE;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem(413, 'The chunk extensions of the body are too large. Send none.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW;
    default:
      return new Problem(400, sentenceOf(error));
  }
}

const NOT_HTTP = 'What arrived is not an HTTP/1.1 request. Send HTTP/1.1.';
// Details by parser code; the parser's own messages are not meant for clients.
const SENTENCES: Readonly<Record<string, string>> = {
  HPE_PAUSED_H2_UPGRADE: 'The connection begins with the preface of HTTP/2. Send HTTP/1.1.',
  HPE_INVALID_METHOD: 'The request line does not begin with a known method. Send HTTP/1.1.',
  HPE_INVALID_URL: 'The request line has characters that are not allowed in a URL. Percent-encode them.',
  HPE_INVALID_VERSION: 'The HTTP version in the request line is not supported. Send HTTP/1.1.',
  HPE_INVALID_CONSTANT: 'The HTTP version in the request line is not supported. Send HTTP/1.1.',
  HPE_INVALID_HEADER_TOKEN: 'A header has a character that is not allowed in headers. Send visible ASCII characters.',
  HPE_INVALID_CONTENT_LENGTH: 'The Content-Length is not valid. Send the number of bytes of the body, once.',
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'The request has more than one Content-Length or Transfer-Encoding header. Send exactly one of them.',
  HPE_INVALID_TRANSFER_ENCODING: 'The Transfer-Encoding is not supported. Send chunked or a Content-Length.',
  HPE_INVALID_CHUNK_SIZE: 'The size of a chunk of the body is not valid. Send it in hexadecimal digits.',
  HPE_CR_EXPECTED: 'A header line does not end with CR LF. End every header line with CR LF.',
  HPE_LF_EXPECTED: 'A header line does not end with CR LF. End every header line with CR LF.',
  HPE_INVALID_EOF_STATE: 'The connection was closed during a request. Retry.',
};
// First byte of a TLS handshake.
const TLS_HANDSHAKE = 0x16;

function sentenceOf(error: Error): string {
  if ('rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket[0] === TLS_HANDSHAKE)
    return 'The connection begins with a TLS handshake, but this port serves plain HTTP. Use http:// or the TLS port.';
  return ('code' in error && SENTENCES[String(error.code)]) || NOT_HTTP;
}

function reject(problem: Problem, socket: Socket, log: Log): void {
  const requestId = requestIdFrom(undefined);
  const body = problemBody(problem, requestId);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Connection: close',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: private, no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  close(socket);
  log.info({ route: 'none', status: problem.status, request_id: requestId }, 'request');
}
