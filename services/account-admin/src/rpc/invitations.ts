import { emailKey } from '@survey/formats/email-key.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { InviteAdminRequest, Invitation, WithdrawInvitationRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { utc } from '../sql/utc.ts';

const INVITATION = `email, ${utc('invitation.ends_at')} as ends_at, subject is not null as is_used`;

/**
 * Lets the owner of an address administer the account for 14 days, until an import makes them an
 * employee. A repeated invitation starts again (rule AUTH-INVITATION-1).
 */
export const inviteAdmin =
  (pool: Pool) =>
  ({ account_id: accountId, email }: InviteAdminRequest, call: CallContext): Promise<Invitation> => {
    const address = email.trim();
    if (!/^[^@\s\p{Cc}]{1,64}@[^@\s\p{Cc}]{1,189}$/u.test(address)) throw invalid('email must be an e-mail address');
    return withLockedAccount(pool, call, accountId, async (client) => {
      await client.query('delete from admin.invitation where account_id = $1::bigint and ends_at <= now()', [accountId]);
      const { rows } = await client.query<Invitation & { id: number }>(
        `with invitation as (
           insert into admin.invitation (account_id, email, email_key, ends_at)
           values ($1::bigint, $2::text, $3::text, now() + interval '14 days')
           on conflict (account_id, email_key) do update set ends_at = excluded.ends_at, issuer = null, subject = null
           returning *
         )
         select id, ${INVITATION} from invitation`,
        [accountId, address, emailKey(address)],
      );
      if (rows[0] === undefined) throw new Error('expected the insert to return a row');
      const { id, ...invitation } = rows[0];
      // Without the address, which would outlive the employee.
      await audit(client, call, { accountId, action: 'admin.invite', before: null, after: { id, ends_at: invitation.ends_at } });
      return invitation;
    });
  };

/** Ends an invitation: a user who has signed in with it loses access with the next request. */
export const withdrawInvitation =
  (pool: Pool) =>
  ({ account_id: accountId, email }: WithdrawInvitationRequest, call: CallContext): Promise<Invitation> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<Invitation & { id: number }>(
        `with invitation as (delete from admin.invitation where account_id = $1::bigint and email_key = $2::text returning *)
         select id, ${INVITATION} from invitation`,
        [accountId, emailKey(email)],
      );
      if (rows[0] === undefined) throw notFound('the address is not invited');
      const { id, ...invitation } = rows[0];
      await audit(client, call, { accountId, action: 'admin.invite.withdraw', before: { id }, after: null });
      return invitation;
    });

/** Returns the invitations that have not ended. */
export async function listInvitations(client: Client, accountId: number): Promise<Invitation[]> {
  const { rows } = await client.query<Invitation>(
    `select ${INVITATION} from admin.invitation where account_id = $1::bigint and ends_at > now() order by id`,
    [accountId],
  );
  return rows;
}
