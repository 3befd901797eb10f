import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '@survey/process/log.ts';
import { Problem, PROBLEM_TYPE, problemBody } from './problem.ts';
import { requestIdFrom } from './request-id.ts';

// Long enough for the answer to arrive before the connection is cut.
const LINGER_MS = 1_000;

/** Answers what is not HTTP, or too slow or too large to become a request: node tells of it without a request or a response. */
export function refuseMalformed(error: Error, socket: Socket, answer: ServerResponse | undefined, log: Log): void {
  // Gone, or already being answered: the parser complains again about each further packet.
  if (!socket.writable) return;
  if ('code' in error && error.code === 'ECONNRESET') socket.destroy();
  else if (isHalfSent(answer)) socket.destroy();
  else refuse(problemOf(error), socket, log);
}

/** A connection on which nothing moved for too long: a request that began is answered, as by node's own watch, whichever looks first. While an answer is being worked on, that is not the client's fault; a body has its own watch (slow-sender.ts). */
export function dropIdle(socket: Socket, answer: ServerResponse | undefined, log: Log): void {
  if (answer === undefined && socket.bytesRead > 0) refuse(TOO_SLOW, socket, log);
  else if (answer === undefined || answer.writableEnded || answer.headersSent) socket.destroy();
}

const TOO_SLOW = new Problem(408, 'The request did not arrive in time: nothing came for too long. Send it again.');

function isHalfSent(answer: ServerResponse | undefined): boolean {
  return answer !== undefined && answer.headersSent && !answer.writableFinished;
}

function problemOf(error: Error): Problem {
  switch ('code' in error ? error.code : undefined) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        431,
        'The request line and headers together exceed 16 KiB. Send fewer or shorter headers, or a shorter query.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem(413, 'The chunk extensions of the body are too large. Send none.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW;
    default:
      return new Problem(400, `The bytes on the connection are not a valid HTTP/1.1 request${reasonOf(error)}.`);
  }
}

// The parser's own fixed words, such as "Invalid header value char".
function reasonOf(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? `: ${error.reason}` : '';
}

function refuse(problem: Problem, socket: Socket, log: Log): void {
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
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  log.info({ route: 'none', status: problem.status, request_id: requestId }, 'request');
}
