import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Linux and macOS give outgoing connections ports above these.
const FIRST = 20_000;
const LAST = 32_000;
// Random, so that processes rarely try the same ports.
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/**
 * Reserves a port of 127.0.0.1 for a server that this process starts now or later, and may restart.
 *
 * A port that is only found to be free can be taken by another process before the server listens
 * on it. The reservation is therefore a UDP socket with the same number, which this process keeps
 * open while the server uses the number for TCP. The kernel gives it to one process, and takes it
 * back when that process ends, however it ends.
 */
export async function reservePort(): Promise<number> {
  for (let attempts = LAST - FIRST; attempts > 0; attempts -= 1) {
    next = next < LAST ? next + 1 : FIRST;
    const port = next;
    if (await tryToReservePort(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${LAST} is free`);
}

/** Reserves this port, unless it is in use or another process has reserved it. */
export async function tryToReservePort(port: number): Promise<boolean> {
  const reservation = createSocket('udp4');
  const server = createServer();
  try {
    reservation.bind({ address: '127.0.0.1', port, exclusive: true });
    await once(reservation, 'listening');
    reservation.unref();
    // Programs that know nothing of reservations.
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    reservation.close();
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
