import { Registry } from 'prom-client';
import type { GrpcTls } from './grpc-tls.ts';
import { createLog } from './log.ts';
import type { ServiceTools } from './service.ts';

/** What a command line tool hands to code written for services: it logs nothing, its metrics are never read, and it closes its resources itself. */
export function toolOf(name: string, grpcTls?: GrpcTls): ServiceTools {
  return { log: createLog(name, 'silent'), metrics: new Registry(), resources: new AsyncDisposableStack(), grpcTls };
}
