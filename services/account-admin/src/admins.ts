import { emailKey, isMailbox } from '@survey/formats/email-key.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  Admin,
  Invitation,
  InviteAdminRequest,
  ListAdminsRequest,
  ListAdminsResponse,
  ListMailsRequest,
  ListMailsResponse,
  Mail,
  WithdrawInvitationRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { audit } from './write-audit.ts';
import { utc } from './sql-text.ts';
import { withAccount, withLockedAccount } from './with-account.ts';

const INVITATION = `email, ${utc('invitation.ends_at')} as ends_at, subject is not null as is_used`;

/**
 * Lets the owner of an address administer the account for 14 days, until an import makes them an
 * employee. A repeated invitation starts again (rule AUTH-INVITATION-1).
 */
export const inviteAdmin =
  (pool: Pool) =>
  ({ account_id: accountId, email }: InviteAdminRequest, call: CallContext): Promise<Invitation> => {
    const address = email.trim();
    if (!isMailbox(address)) throw invalid('email must be an e-mail address');
    return withLockedAccount(pool, call, accountId, async (client) => {
      await endInvitations(client, accountId, [emailKey(address)]);
      const { rows } = await client.query<Invitation & { id: number }>(
        `with invitation as (
           insert into admin.invitation (account_id, email, email_key, ends_at)
           values ($1::bigint, $2::text, $3::text, now() + interval '14 days')
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
        `select id, ${INVITATION} from admin.invitation where account_id = $1::bigint and email_key = $2::text`,
        [accountId, emailKey(email)],
      );
      if (rows[0] === undefined) throw notFound('the address is not invited');
      await endInvitations(client, accountId, [emailKey(email)]);
      const { id, ...invitation } = rows[0];
      await audit(client, call, { accountId, action: 'admin.invite.withdraw', before: { id }, after: null });
      return invitation;
    });

/**
 * Ends the invitations of these addresses. Those that were used are kept, so that the audit can
 * name who acted by them.
 */
export async function endInvitations(client: Client, accountId: number, emailKeys: readonly string[]): Promise<void> {
  const invited = [accountId, emailKeys];
  await client.query(
    'delete from admin.invitation where account_id = $1::bigint and email_key = any($2::text[]) and subject is null',
    invited,
  );
  await client.query(
    `update admin.invitation set ends_at = least(ends_at, now()), email_key = null
     where account_id = $1::bigint and email_key = any($2::text[])`,
    invited,
  );
}

/** Returns the invitations that have not ended. */
async function listInvitations(client: Client, accountId: number): Promise<Invitation[]> {
  const { rows } = await client.query<Invitation>(
    `select ${INVITATION} from admin.invitation where account_id = $1::bigint and ends_at > now() order by id`,
    [accountId],
  );
  return rows;
}

const ADMINS = `select e.id as employee_id, e.import_id, e.email, e.firstname, e.lastname,
    (select ${utc('max(l.last_sign_in_at)')} from admin.identity l
     where l.account_id = $1::bigint and l.employee_id = e.id) as last_sign_in_at
  from imports.employee e where e.account_id = $1::bigint and e.role = 'Admin' and not e.is_deleted
  order by e.id limit 1000`;

/**
 * Returns the account's employees with role Admin, who may use the console and receive import
 * summaries, and the users who are invited as such.
 */
export const listAdmins =
  (pool: Pool) =>
  ({ account_id: accountId }: ListAdminsRequest, call: CallContext): Promise<ListAdminsResponse> =>
    withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<Admin>(ADMINS, [accountId]);
      return { admins: rows, invitations: await listInvitations(client, accountId) };
    });

const MAILS = `select import_uuid, attempts, ${utc('mail.created_at')} as created_at, ${utc('mail.sent_at')} as sent_at,
    case when sent_at is not null then 'sent' when given_up_at is not null then 'given_up' else 'waiting' end as state
  from imports.mail where account_id = $1::bigint and import_uuid is not null order by mail.created_at desc limit 20`;

/** Returns the latest import summaries that were or will be mailed to the account's admins. */
export const listMails =
  (pool: Pool) =>
  ({ account_id: accountId }: ListMailsRequest, call: CallContext): Promise<ListMailsResponse> =>
    withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<Mail>(MAILS, [accountId]);
      return { mails: rows };
    });
