import { causeOf } from '@survey/process/cause-of.ts';
import { gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import CircuitBreaker from 'opossum';
import { busy, ApplicationError } from './application-error.ts';
import { UpstreamError } from './upstream-error.ts';

export interface Breaker extends Disposable {
  // Runs the work, or fails with `busy` at once while the service is known to be unavailable.
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>;
}

const OPTIONS = {
  // The gRPC deadline ends a call; opossum's own timeout would leave it running.
  timeout: false,
  // Opens only on a clear majority of faults among many calls: the default opens after the first
  // failure.
  volumeThreshold: 20,
  errorThresholdPercentage: 50,
  resetTimeout: 2_000,
  errorFilter: (error: unknown) => !isFault(error),
} as const;

export function createBreaker(upstream: string, context: ServiceContext): Breaker {
  const circuit = new CircuitBreaker((work: () => Promise<unknown>) => work(), { ...OPTIONS, name: upstream });
  const open = gauge(context.metrics, {
    name: 'rpc_circuit_breaker_open',
    help: 'Whether the circuit breaker of an upstream service is open: 1 or 0.',
    labelNames: ['upstream'],
  });
  open.set({ upstream }, 0);
  circuit.on('open', () => open.set({ upstream }, 1));
  circuit.on('close', () => open.set({ upstream }, 0));
  circuit.on('open', () => context.log.warn({ upstream }, 'circuit opened'));
  const tell = failureLog(upstream, context);
  circuit.on('close', () => context.log.info({ upstream }, 'circuit closed'));
  return {
    guard: async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        // fire resolves with the result of `work`.
        return (await circuit.fire(work)) as T;
      } catch (error) {
        if (error instanceof UpstreamError && isFault(error)) tell(error);
        throw isOpen(error) ? busy('a service that this request needs is unavailable: retry with exponential backoff') : error;
      }
    },
    [Symbol.dispose]: () => circuit.shutdown(),
  };
}

const TOLD_MS = 60_000;

// Callers turn a failed call into an error of their own, so its reason, such as a refused
// connection or an untrusted certificate, is logged here: once a minute, and when it changes.
function failureLog(upstream: string, { log }: ServiceContext): (error: UpstreamError) => void {
  let [toldReason, toldAt] = ['', -Infinity];
  return (error) => {
    // The texts of a service's own errors stay with the service.
    const reason = error.status === 'UNAVAILABLE' ? causeOf(error) : error.status;
    if (reason === toldReason && performance.now() - toldAt < TOLD_MS) return;
    [toldReason, toldAt] = [reason, performance.now()];
    log.warn({ upstream, status: error.status }, `upstream call failed: ${reason}`);
  };
}

// An application error shows that the service works. A cancelled call shows nothing, because its
// caller gave up.
function isFault(error: unknown): boolean {
  if (error instanceof UpstreamError) return error.status !== 'CANCELLED';
  return !(error instanceof ApplicationError);
}

// This error is also raised while the breaker is half open and its trial call is running.
function isOpen(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EOPENBREAKER';
}
