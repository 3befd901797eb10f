import type { Client } from '@survey/postgres/database.ts';

interface InvitedEmployee {
  readonly email_key: string;
  readonly is_admin: boolean;
}

const INVITED = `select i.email_key, coalesce(e.role = 'Admin', false) as is_admin
  from admin.invitation i join imports.employee e on e.account_id = i.account_id and e.email_key = i.email_key
  where i.account_id = $1::bigint and i.ends_at > now()`;

const ENDED = `select was.email_key
  from unnest($2::text[], $3::boolean[]) was (email_key, is_admin)
  where not exists (
    select from imports.employee e
    where e.account_id = $1::bigint and e.email_key = was.email_key and (e.role = 'Admin' or not was.is_admin))`;

/**
 * Changes employees. Ends the invitations of those who lose the role Admin, are offboarded, or get
 * another address (rule AUTH-INVITATION-1): HR has decided about them, and an invitation is for
 * people whom HR has not listed yet.
 */
export async function endInvitationsWith<T>(tx: Client, accountId: number, change: () => Promise<T>): Promise<T> {
  const { rows } = await tx.query<InvitedEmployee>(INVITED, [accountId]);
  const result = await change();
  const invited = [rows.map(({ email_key }) => email_key), rows.map(({ is_admin }) => is_admin)];
  const { rows: ended } = await tx.query<{ email_key: string }>(ENDED, [accountId, ...invited]);
  const keys = ended.map(({ email_key }) => email_key);
  if (keys.length > 0)
    await tx.query("select admin.end_invitations($1::bigint, $2::text[], 'import-reconciler')", [accountId, keys]);
  return result;
}
