import { connect, type Socket } from 'node:net';

interface RawExchange {
  // All bytes received until the connection closed.
  readonly answer: string;
  readonly tookMs: number;
}

/**
 * Sends these bytes in chunks and returns the response once the connection closes or the time is
 * up.
 */
export async function exchangeBytes(
  address: string,
  pieces: readonly (string | Buffer)[],
  withinMs = 15_000,
): Promise<RawExchange> {
  const startedAt = performance.now();
  const socket = open(address);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => (answer += String(text)));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const timer = setTimeout(() => socket.destroy(), withinMs);
  await closed;
  clearTimeout(timer);
  return { answer, tookMs: performance.now() - startedAt };
}

/** Returns the status of each response on the connection, in order. */
export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Opens a connection on which errors, such as a reset, only close it. */
export function open(address: string): Socket {
  const [host = '', port] = address.split(':');
  return connect({ host, port: Number(port) }).on('error', () => {});
}
