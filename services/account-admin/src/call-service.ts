import type { CallContext } from '@survey/rpc/call-context.ts';
import { busy } from '@survey/rpc/application-error.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';

type Service = 'import-reconciler' | 'text-analysis';
type ServiceCall<T> = (options: CallOptions) => T;

/**
 * Calls another service in the account, with the operator's deadline.
 * @throws `busy` when the service does not respond.
 */
export async function callService<T>(
  service: Service,
  call: CallContext,
  accountId: number,
  ask: ServiceCall<Promise<T>>,
): Promise<T> {
  try {
    return await ask(optionsOf(call, accountId));
  } catch (error) {
    throw toApplicationError(service, error);
  }
}

/** Like callService, for a streamed response. */
export async function* streamFromService<T>(
  service: Service,
  call: CallContext,
  accountId: number,
  ask: ServiceCall<AsyncIterable<T>>,
): AsyncIterable<T> {
  try {
    yield* ask(optionsOf(call, accountId));
  } catch (error) {
    throw toApplicationError(service, error);
  }
}

function optionsOf({ requestId, deadline, signal }: CallContext, accountId: number): CallOptions {
  return { caller: { requestId, accountId }, deadlineMs: deadline.getTime() - Date.now(), signal };
}

function toApplicationError(service: Service, error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  return busy(`${service} did not answer (${error.status}): check the result before you retry`);
}
