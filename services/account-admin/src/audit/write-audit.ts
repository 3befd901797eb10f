import type { Client } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';

export interface AuditEntry {
  accountId: number;
  // The object and the change, such as key.revoke.
  action: string;
  // The changed object's previous and new state; never a key or its hash.
  before: object | null;
  after: object | null;
  // Absent: the reason given with the call.
  reason?: string | null | undefined;
}

const MAX_TEXT = 200;

/** Records a change in the audit, in the transaction that makes it. */
export async function audit(client: Client, call: CallContext, entry: AuditEntry): Promise<void> {
  const { accountId, action, before, after, reason } = entry;
  const { onBehalfOf, requestId, address } = call;
  await client.query(
    `insert into admin.audit (account_id, actor, action, before, after, actor_kind, actor_employee_id, reason, request_id, address)
     values ($1::bigint, $2::text, $3::text, $4::jsonb, $5::jsonb, $6::text, $7::bigint, $8::text, $9::text, $10::text)`,
    [
      accountId,
      actorOf(call),
      action,
      before,
      after,
      onBehalfOf === undefined ? 'surveyctl' : 'admin',
      onBehalfOf?.kind === 'admin' ? onBehalfOf.employeeId : null,
      textOf(reason ?? call.reason),
      textOf(requestId),
      textOf(address),
    ],
  );
}

/** Records what account-admin did on its own, in the transaction that does it. */
export async function auditOwn(client: Client, accountId: number, action: string, after: object | null = null): Promise<void> {
  await client.query(
    `insert into admin.audit (account_id, actor, action, actor_kind, after)
     values ($1::bigint, 'account-admin', $2::text, 'service', $3::jsonb)`,
    [accountId, action, after],
  );
}

// An admin is stored by employee id; the address is looked up when the audit is read.
export function actorOf({ actor, onBehalfOf }: CallContext): string {
  if (onBehalfOf?.kind === 'admin') return 'admin';
  if (onBehalfOf?.kind === 'invited') return `invitation ${onBehalfOf.invitationId}`;
  return textOf(actor) ?? 'operator';
}

// PostgreSQL's text cannot store NUL, and other control characters must not reach a terminal.
function textOf(text: string | null | undefined): string | null {
  return text?.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_TEXT) || null;
}
