import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { z } from 'zod';
import type { Log } from './log.ts';
import { repeat } from './repeat.ts';

/**
 * HTTPS of a public port. The files are read again when they change: certificates are rotated
 * without a restart.
 */
export const httpTlsSettings = {
  HTTP_TLS_CERT_FILE: z.string().min(1).optional().describe('Certificate chain as PEM. Absent: HTTP'),
  HTTP_TLS_KEY_FILE: z.string().min(1).optional().describe('Key as PEM'),
};

export type HttpTlsFiles = Partial<z.output<z.ZodObject<typeof httpTlsSettings>>>;

const HANDSHAKE_TIMEOUT_MS = 5_000;
// Promised to clients. Longer than the 60 s of common load balancers: the side that reuses
// connections must close first. They are kept for longer than promised, because a client whose
// process has just stood still uses one too late.
const KEEP_ALIVE = { keepAliveTimeout: 65_000, keepAliveTimeoutBuffer: 10_000 };
const REFRESH_MS = 10_000;

/**
 * Creates a server for HTTPS when a certificate is named, else for HTTP.
 * @throws when only one of the files is named, or the two do not belong together
 */
export async function createServer(limits: ServerOptions, files: HttpTlsFiles, log: Log): Promise<Server> {
  const options = { ...KEEP_ALIVE, ...limits };
  const { HTTP_TLS_CERT_FILE: certFile, HTTP_TLS_KEY_FILE: keyFile } = files;
  if (certFile === undefined && keyFile === undefined) return createHttpServer(options);
  if (certFile === undefined || keyFile === undefined)
    throw new Error('HTTP_TLS_CERT_FILE and HTTP_TLS_KEY_FILE must both name PEM files, or neither');
  const read = async (): Promise<{ cert: string; key: string }> => ({
    cert: await readFile(certFile, 'utf8'),
    key: await readFile(keyFile, 'utf8'),
  });
  let pair = await read();
  const server = createHttpsServer({ ...options, ...pair, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
  const renew = async (): Promise<void> => {
    const current = await read();
    if (current.cert === pair.cert && current.key === pair.key) return;
    server.setSecureContext(current);
    pair = current;
    log.info('certificate renewed');
  };
  // The files may be read between two writes: the next attempt finds the pair.
  const renewal = repeat(REFRESH_MS, renew, (error) => log.warn({ err: error }, 'certificate renewal failed'));
  server.once('close', () => void renewal[Symbol.asyncDispose]());
  return server;
}
