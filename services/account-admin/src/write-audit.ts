import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { ApplicationError, invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { withLockedAccount } from './with-account.ts';

/** Everything that the audit records: the object and the change. The console has words for each. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.delete',
  'account.keep',
  'account.close',
  'account.deleted',
  'account.enter',
  'account.issuers',
  'admin.invite',
  'admin.invite.withdraw',
  'admin.invite.end',
  'answer.release',
  'answer.withhold',
  'attribute.release',
  'attribute.withdraw',
  'attribute.value.merge',
  'attribute.value.rename',
  'download',
  'dry-run',
  'employee.access',
  'employee.erase',
  'employee.erased',
  'employee.export',
  'employee.preview',
  'employee.rekey',
  'employee.show',
  'import.allow-deletes',
  'integration.connect',
  'integration.disconnect',
  'key.create',
  'key.rotate',
  'key.revoke',
  'notice.add',
  'notice.confirm',
  'notice.remove',
  'notice.stop',
  'settings.set',
  'sign-in',
  'sign-in.again',
  'sign-in.again.rejected',
  'sign-out',
  'sign-out.provider',
  'text.model.rollback',
  'text.rebuild',
  'text.retry',
  'topic.active',
  'topic.create',
  'topic.keywords',
  'topic.merge',
  'topic.reassign',
  'topic.rename',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  accountId: number;
  action: AuditAction;
  // The changed object's previous and new state; never a key or its hash.
  before: object | null;
  after: object | null;
  // Absent: the reason given with the call.
  reason?: string | null | undefined;
}

const MAX_TEXT = 200;

/** Records a change in the audit, in the transaction that makes it. Returns the entry's id. */
export async function audit(
  client: Client,
  call: CallContext,
  entry: AuditEntry,
  outcome: 'requested' | null = null,
): Promise<number> {
  const { accountId, action, before, after, reason } = entry;
  const { onBehalfOf, requestId, address } = call;
  const { rows } = await client.query<{ id: number }>(
    `insert into admin.audit (account_id, actor, action, before, after, actor_kind, actor_employee_id, reason, request_id, address, outcome)
     values ($1::bigint, $2::text, $3::text, $4::jsonb, $5::jsonb, $6::text, $7::bigint, $8::text, $9::text, $10::text, $11::text)
     returning id`,
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
      outcome,
    ],
  );
  if (rows[0] === undefined) throw new Error('expected the insert to return a row');
  return rows[0].id;
}

const MIN_REASON = 3;

/** @throws `invalid` when a change needs a reason that neither the request nor the call gives. */
export function requireReason(reason: string | null | undefined, call: CallContext): void {
  const text = (reason ?? call.reason ?? '').trim();
  if (text.length < MIN_REASON || text.length > MAX_TEXT)
    throw invalid(`this change needs a reason of ${MIN_REASON} to ${MAX_TEXT} characters`);
}

const END = 'select admin.end_audited($1::bigint, $2::bigint, $3::text, $4::text)';

/**
 * Records a change that another service makes. The entry is written before the change, so that a
 * crash leaves no change without a record, and gets the outcome afterwards. It remains `requested`
 * if nobody knows the outcome.
 */
export async function auditChange<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  describe: (client: Client) => Promise<Omit<AuditEntry, 'accountId'>>,
  change: () => Promise<T>,
): Promise<T> {
  const id = await withLockedAccount(pool, call, accountId, async (client) =>
    audit(client, call, { accountId, ...(await describe(client)) }, 'requested'),
  );
  const end = (outcome: 'done' | 'rejected', rejection: string | null = null): Promise<unknown> =>
    inAccount(pool, accountId, (client) => client.query(END, [accountId, id, outcome, rejection])).catch((err: unknown) =>
      call.log.warn({ err, action_id: id, outcome }, 'outcome of a change not recorded'),
    );
  try {
    const result = await change();
    await end('done');
    return result;
  } catch (error) {
    // A service that is busy, or did not answer, may have made the change.
    if (error instanceof ApplicationError && error.code !== 'busy') await end('rejected', error.reason ?? error.code);
    throw error;
  }
}

/** Records what account-admin did on its own, in the transaction that does it. */
export async function auditByService(
  client: Client,
  accountId: number,
  action: AuditAction,
  after: object | null = null,
): Promise<void> {
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
