import { Metadata } from '@grpc/grpc-js';
import type { Log } from '@survey/process/log.ts';
import { invalid } from './application-error.ts';

export const ACCOUNT = 'account-id';
const REQUEST = 'request-id';
const ACTOR = 'actor';
const ON_BEHALF_OF = 'on-behalf-of';
const REASON = 'reason';
const ADDRESS = 'client-address';

interface SignedInBy {
  readonly issuer: string;
  // The user's id at the issuer.
  readonly subject: string;
}

/**
 * The user for whom the web console calls, as their issuer signed them in. account-admin checks in
 * each transaction that this user of the issuer is linked to an account admin, or invited as one,
 * and that the account accepts the issuer.
 */
export type Principal =
  | ({ readonly kind: 'admin'; readonly employeeId: number } & SignedInBy)
  | ({ readonly kind: 'invited'; readonly invitationId: number } & SignedInBy);

/** Identity and deadline of a call, sent as metadata, so that no message names an account. */
export interface Caller {
  readonly requestId: string;
  // Absent for an operator's call, which names the account in its message.
  readonly accountId?: number;
  // The operator as the tool reports them: for the audit log, never for a permission.
  readonly actor?: string;
  readonly onBehalfOf?: Principal;
  // The operator's reason and the client's address: for the audit log.
  readonly reason?: string;
  readonly address?: string;
}

/** Context of a call for its handler. */
export interface CallContext extends Caller {
  readonly deadline: Date;
  // Aborted when the caller cancels or the deadline passes.
  readonly signal: AbortSignal;
  readonly log: Log;
  // The calling service, by its certificate; absent without TLS.
  readonly peer?: string;
}

export function callerMetadata(caller: Caller): Metadata {
  const metadata = new Metadata();
  metadata.set(REQUEST, caller.requestId);
  if (caller.accountId !== undefined) metadata.set(ACCOUNT, String(caller.accountId));
  // Metadata is ASCII, names are not.
  if (caller.actor !== undefined) metadata.set(ACTOR, encodeURIComponent(caller.actor));
  if (caller.onBehalfOf !== undefined) metadata.set(ON_BEHALF_OF, formatPrincipal(caller.onBehalfOf));
  if (caller.reason !== undefined) metadata.set(REASON, encodeURIComponent(caller.reason));
  if (caller.address !== undefined) metadata.set(ADDRESS, caller.address);
  return metadata;
}

/** Reads all but the principal of a call: nothing in it can make the call unreadable. */
export function readCaller(metadata: Metadata): Omit<Caller, 'onBehalfOf'> {
  const accountId = metadata.get(ACCOUNT)[0];
  const requestId = String(metadata.get(REQUEST)[0] ?? '');
  const actor = metadata.get(ACTOR)[0];
  const reason = metadata.get(REASON)[0];
  const address = metadata.get(ADDRESS)[0];
  return {
    requestId,
    ...(accountId === undefined ? {} : { accountId: Number(accountId) }),
    ...(actor === undefined ? {} : { actor: decodeText(String(actor)) }),
    ...(reason === undefined ? {} : { reason: decodeText(String(reason)) }),
    ...(address === undefined ? {} : { address: String(address) }),
  };
}

/** @throws `invalid` */
export function readPrincipal(metadata: Metadata): Pick<Caller, 'onBehalfOf'> {
  const onBehalfOf = metadata.get(ON_BEHALF_OF)[0];
  return onBehalfOf === undefined ? {} : { onBehalfOf: parsePrincipal(String(onBehalfOf)) };
}

function formatPrincipal(principal: Principal): string {
  const id = principal.kind === 'admin' ? principal.employeeId : principal.invitationId;
  return `${principal.kind}:${id}:${encodeURIComponent(principal.issuer)}:${encodeURIComponent(principal.subject)}`;
}

const ID = /^\d{1,15}$/;

function parsePrincipal(text: string): Principal {
  const [kind, value = '', issuer = '', subject = ''] = text.split(':');
  const by = { issuer: decodeText(issuer), subject: decodeText(subject) };
  if (kind === 'admin' && ID.test(value)) return { kind, employeeId: Number(value), ...by };
  if (kind === 'invited' && ID.test(value)) return { kind, invitationId: Number(value), ...by };
  throw invalid('on-behalf-of must name an admin or an invited user');
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the account that the gateway authenticated. */
export function accountOf(caller: Caller): number {
  if (caller.accountId === undefined || !Number.isSafeInteger(caller.accountId)) throw invalid('the call must name an account');
  return caller.accountId;
}
