import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { toolOf } from '@survey/process/tool.ts';
import type { Caller } from '@survey/rpc/call-context.ts';
import { bindUpstream, type BoundUpstream, connectUpstream } from '@survey/rpc/upstream.ts';
import type { MethodDefinition } from '@survey/rpc/definition.ts';
import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { CommandError } from './command-error.ts';
import { findAccountAdmin, type ConnectionOptions } from './find-account-admin.ts';

const CALL_DEADLINE_MS = 10_000;
// A merge moves the topics of millions of answers.
const TEXT_DEADLINE_MS = 90_000;
// Longer than operators watch; the largest imports take minutes.
const WATCH_DEADLINE_MS = 24 * 60 * 60_000;
// The largest snapshot over a slow connection, plus its import.
const DRY_RUN_DEADLINE_MS = 30 * 60_000;

/** account-admin's API for commands. */
export interface AccountAdmin extends BoundUpstream<AccountAdminServiceDefinition> {
  /** Returns the calls for an account's topics and texts. */
  topics(accountId: number): BoundUpstream<TopicServiceDefinition>;
}

/** Connects for one command. If a service does not respond, the error says what to do. */
export async function withAccountAdmin(options: ConnectionOptions, work: (admin: AccountAdmin) => Promise<void>): Promise<void> {
  const { address, tls } = await findAccountAdmin(options);
  const context = toolOf('surveyctl', tls);
  using upstream = connectUpstream(AccountAdminServiceDefinition, address, context);
  using text = connectUpstream(TopicServiceDefinition, address, context);
  const { reason } = options;
  const caller = { requestId: randomUUID(), ...actor(), ...(reason !== undefined && { reason }) };
  try {
    await work({
      ...bindUpstream(AccountAdminServiceDefinition, upstream, (method) => ({ caller, deadlineMs: deadlineOf(method) })),
      topics: (accountId) => {
        const options = { caller: { ...caller, accountId }, deadlineMs: TEXT_DEADLINE_MS };
        return bindUpstream(TopicServiceDefinition, text, () => options);
      },
    });
  } catch (error) {
    throw error instanceof UpstreamError ? toCommandError(error, address, caller.requestId) : error;
  }
}

function deadlineOf({ name, requestStream, responseStream }: MethodDefinition): number {
  if (name === 'WatchImport') return WATCH_DEADLINE_MS;
  return requestStream || responseStream ? DRY_RUN_DEADLINE_MS : CALL_DEADLINE_MS;
}

// The audit log names this user. A container's user may have no name.
function actor(): Pick<Caller, 'actor'> {
  try {
    return { actor: userInfo().username };
  } catch {
    return {};
  }
}

function toCommandError(fault: UpstreamError, address: string, requestId: string): CommandError {
  const text =
    fault.status === 'UNAVAILABLE'
      ? `account-admin does not respond at ${address}: check the address, and that the service runs`
      : fault.status === 'DEADLINE_EXCEEDED'
        ? `account-admin at ${address} did not respond in time`
        : `account-admin at ${address} failed (${fault.status}); for the cause, see request ${requestId} in its log`;
  return new CommandError(text, undefined, { cause: fault });
}
