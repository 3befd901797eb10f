import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { readEnvironment } from '@survey/process/environment.ts';
import { grpcTlsOf, grpcTlsSettings } from '@survey/process/grpc-tls.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { Caller } from '@survey/rpc/call-context.ts';
import {
  AccountAdminServiceService,
  type CheckedSnapshot,
  type CheckSnapshotRequest,
  type DryRunPart,
  type ImportProgress,
} from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { TopicServiceService } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { RequestOf, ResponseOf } from '@survey/rpc/methods.ts';
import { connectUpstream, type UnaryName } from '@survey/rpc/upstream.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { findAddress } from './address.ts';
import { CommandError } from './command-error.ts';

type Methods = AccountAdminServiceService;
type TextMethods = TopicServiceService;

const CALL_DEADLINE_MS = 10_000;
// A merge moves the topics of millions of answers.
const TEXT_DEADLINE_MS = 90_000;
// Longer than operators watch; the largest imports take minutes.
const WATCH_DEADLINE_MS = 24 * 60 * 60_000;
// The largest snapshot over a slow connection, plus its import.
const DRY_RUN_DEADLINE_MS = 30 * 60_000;

/** account-admin's API for commands. */
export interface AccountAdmin {
  call<K extends UnaryName<Methods>>(name: K, request: RequestOf<Methods[K]>): Promise<ResponseOf<Methods[K]>>;
  watchImport(request: RequestOf<Methods['watchImport']>): AsyncIterable<ImportProgress>;
  // Calls methods for an account's topics and texts.
  callText<K extends UnaryName<TextMethods>>(
    accountId: number,
    name: K,
    request: RequestOf<TextMethods[K]>,
  ): Promise<ResponseOf<TextMethods[K]>>;
  checkSnapshot(requests: AsyncIterable<CheckSnapshotRequest>): Promise<CheckedSnapshot>;
  dryRunImport(request: RequestOf<Methods['dryRunImport']>): AsyncIterable<DryRunPart>;
}

/** Connects for one command. If a service does not respond, the error says what to do. */
export async function withAccountAdmin(
  addressOption: string | undefined,
  work: (admin: AccountAdmin) => Promise<void>,
): Promise<void> {
  const environment = process.env['ACCOUNT_ADMIN_ADDRESS'];
  const address = await findAddress({ option: addressOption, environment, folder: process.cwd() });
  const tools = toolOf('surveyctl', grpcTlsOf('ops-tools', readEnvironment(grpcTlsSettings, process.env)));
  using upstream = connectUpstream(AccountAdminServiceService, address, tools);
  using text = connectUpstream(TopicServiceService, address, tools);
  const caller = { requestId: randomUUID(), ...actor() };
  const patiently = { caller, deadlineMs: DRY_RUN_DEADLINE_MS };
  try {
    await work({
      call: (name, request) => upstream.call(name, request, { caller, deadlineMs: CALL_DEADLINE_MS }),
      watchImport: (request) => upstream.serverStream('watchImport', request, { caller, deadlineMs: WATCH_DEADLINE_MS }),
      callText: (accountId, name, request) =>
        text.call(name, request, { caller: { ...caller, accountId }, deadlineMs: TEXT_DEADLINE_MS }),
      checkSnapshot: (requests) => upstream.upload('checkSnapshot', requests, patiently),
      dryRunImport: (request) => upstream.serverStream('dryRunImport', request, patiently),
    });
  } catch (error) {
    throw error instanceof UpstreamError ? toCommandError(error, address, caller.requestId) : error;
  }
}

// For the audit log. A container's user may have no name.
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
      ? `cannot reach account-admin at ${address}; check that the stack is running (npm start)`
      : fault.status === 'DEADLINE_EXCEEDED'
        ? `account-admin at ${address} did not respond in time`
        : `account-admin at ${address} failed (${fault.status}); for the cause, see request ${requestId} in its log`;
  return new CommandError(text, undefined, { cause: fault });
}
