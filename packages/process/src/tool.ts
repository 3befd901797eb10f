import { Registry } from 'prom-client';
import type { GrpcTls } from './grpc-tls.ts';
import { createLog } from './log.ts';
import type { ServiceContext } from './service.ts';
import { Traces } from './traces.ts';

/**
 * Creates the context that a command-line tool passes to code written for services: no log, metrics
 * that are never read, and resources that the tool disposes.
 */
export function toolOf(name: string, grpcTls?: GrpcTls): ServiceContext {
  const [log, resources] = [createLog(name, 'silent'), new AsyncDisposableStack()];
  return { log, metrics: new Registry(), traces: new Traces(), resources, readyChecks: [], grpcTls };
}
