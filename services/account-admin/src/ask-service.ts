import type { CallContext } from '@survey/rpc/call-context.ts';
import { busy } from '@survey/rpc/refusal.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import { UpstreamFault } from '@survey/rpc/upstream-fault.ts';

type Service = 'import-reconciler' | 'text-analysis';
type Ask<T> = (options: CallOptions) => T;

/** Calls another service for an operator: in the account, for as long as the operator waits. That it does not answer is refused as busy. */
export async function askService<T>(service: Service, call: CallContext, accountId: number, ask: Ask<Promise<T>>): Promise<T> {
  try {
    return await ask(optionsOf(call, accountId));
  } catch (error) {
    throw asRefusal(service, error);
  }
}

/** The same for an answer in parts. */
export async function* watchService<T>(
  service: Service,
  call: CallContext,
  accountId: number,
  ask: Ask<AsyncIterable<T>>,
): AsyncIterable<T> {
  try {
    yield* ask(optionsOf(call, accountId));
  } catch (error) {
    throw asRefusal(service, error);
  }
}

function optionsOf({ requestId, deadline, signal }: CallContext, accountId: number): CallOptions {
  return { caller: { requestId, accountId }, deadlineMs: deadline.getTime() - Date.now(), signal };
}

function asRefusal(service: Service, error: unknown): unknown {
  if (!(error instanceof UpstreamFault)) return error;
  return busy(`${service} did not answer (${error.status}): look at what became of it before you try again`);
}
