import { Registry } from 'prom-client';
import type { GrpcTls } from './grpc-tls.ts';
import { createLog } from './log.ts';
import type { ServiceContext } from './service.ts';
import { Traces } from './traces.ts';

/**
 * What a command line tool hands to code written for services: it logs nothing, its metrics are
 * never read, and it closes its resources itself.
 */
export function toolOf(name: string, grpcTls?: GrpcTls): ServiceContext {
  const [log, resources] = [createLog(name, 'silent'), new AsyncDisposableStack()];
  return { log, metrics: new Registry(), traces: new Traces(), resources, readyChecks: [], grpcTls };
}
