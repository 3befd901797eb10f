import type { Client } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';

export interface AuditEntry {
  accountId: number;
  // What was done to what, such as key.revoke.
  action: string;
  // The changed thing as it was and as it is; never a key or its hash.
  before: object | null;
  after: object | null;
}

const LONGEST_ACTOR = 200;

/** Writes down a change, in the transaction that makes it. */
export async function audit(client: Client, call: CallContext, { accountId, action, before, after }: AuditEntry): Promise<void> {
  await client.query(
    `insert into admin.audit (account_id, actor, action, before, after)
     values ($1::bigint, $2::text, $3::text, $4::jsonb, $5::jsonb)`,
    [accountId, actorOf(call), action, before, after],
  );
}

// PostgreSQL's text holds no NUL, and whoever reads the audit on a terminal wants no other control character either.
function actorOf({ actor = '' }: CallContext): string {
  return actor.replaceAll(/\p{Cc}/gu, '').slice(0, LONGEST_ACTOR) || 'operator';
}
