import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  Admin,
  ListAdminsRequest,
  ListAdminsResponse,
  ListMailsRequest,
  ListMailsResponse,
  Mail,
} from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { listInvitations } from './invitations.ts';
import { utc } from '../sql/utc.ts';

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
