import { Metadata } from '@grpc/grpc-js';
import type { Log } from '@survey/process/log.ts';
import { invalid } from './refusal.ts';

const ACCOUNT = 'account-id';
const REQUEST = 'request-id';
const ACTOR = 'actor';

/** Who asks, and for how long: travels beside every message, so that no message names an account. */
export interface Caller {
  readonly requestId: string;
  // Absent for an operator's call, which names the account in its message.
  readonly accountId?: number;
  // The person at an operator's tool, as the tool says: for the audit, never for a permission.
  readonly actor?: string;
}

/** What a handler knows about the call it serves. */
export interface CallContext extends Caller {
  readonly deadline: Date;
  // Aborted when the caller hangs up or the deadline passes.
  readonly signal: AbortSignal;
  readonly log: Log;
}

export function callerMetadata(caller: Caller): Metadata {
  const metadata = new Metadata();
  metadata.set(REQUEST, caller.requestId);
  if (caller.accountId !== undefined) metadata.set(ACCOUNT, String(caller.accountId));
  // Metadata is ASCII, names are not.
  if (caller.actor !== undefined) metadata.set(ACTOR, encodeURIComponent(caller.actor));
  return metadata;
}

export function readCaller(metadata: Metadata): Caller {
  const accountId = metadata.get(ACCOUNT)[0];
  const requestId = String(metadata.get(REQUEST)[0] ?? '');
  const actor = metadata.get(ACTOR)[0];
  return {
    requestId,
    ...(accountId === undefined ? {} : { accountId: Number(accountId) }),
    ...(actor === undefined ? {} : { actor: decodeActor(String(actor)) }),
  };
}

function decodeActor(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The account that the gateway authenticated. */
export function accountOf(caller: Caller): number {
  if (caller.accountId === undefined || !Number.isSafeInteger(caller.accountId)) throw invalid('the call names no account');
  return caller.accountId;
}
