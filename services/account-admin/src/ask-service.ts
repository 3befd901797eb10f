import type { CallContext } from '@survey/rpc/call-context.ts';
import { busy } from '@survey/rpc/refusal.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import { UpstreamFault } from '@survey/rpc/upstream-fault.ts';

/** Calls another service for an operator: in the account, for as long as the operator waits. That it does not answer is refused as busy. */
export async function askService<T>(
  service: 'import-reconciler' | 'text-analysis',
  call: CallContext,
  accountId: number,
  ask: (options: CallOptions) => Promise<T>,
): Promise<T> {
  try {
    return await ask(callOptions(call, accountId));
  } catch (error) {
    throw asRefusal(service, error);
  }
}

function callOptions({ requestId, deadline, signal }: CallContext, accountId: number): CallOptions {
  return { caller: { requestId, accountId }, deadlineMs: deadline.getTime() - Date.now(), signal };
}

function asRefusal(service: string, error: unknown): unknown {
  if (!(error instanceof UpstreamFault)) return error;
  return busy(`${service} did not answer (${error.status}): look at what became of it before you try again`);
}
