import { emailKey } from '@survey/formats/email-key.ts';
import { inAccount, inTransaction, type Client, type Pool } from '@survey/postgres/database.ts';
import type { AdminAccount, FindAdminAccountsRequest, FindAdminAccountsResponse } from '@survey/proto/admin/v1/admin.ts';
import { forbidden, invalid } from '@survey/rpc/application-error.ts';
import { countManaged, findAccount } from '../accounts.ts';
import { isOperatorIssuer } from './account-issuers.ts';
import { endInvitations } from './admins.ts';

type AsEmployee = { employee_id: number; invitation_id: null };
type AsInvited = { employee_id: null; invitation_id: number };
type Found = { account_id: number } & (AsEmployee | AsInvited);

/**
 * Returns the accounts that are bound to the issuer and in which the user is an employee with role
 * Admin, or invited as one (rule AUTH-INVITATION-1). The verified address links the user to the
 * employee once; later calls use the issuer's subject, so that a later owner of the address gets no
 * access.
 */
export const findAdminAccounts =
  (pool: Pool, operatorIssuers: readonly string[]) =>
  async (request: FindAdminAccountsRequest): Promise<FindAdminAccountsResponse> => {
    const { issuer, subject, verified_email: email } = request;
    if (!URL.canParse(issuer) || subject === '') throw invalid('issuer and subject are required');
    // Accounts may have been bound to it before it was known to be one.
    if (isOperatorIssuer(issuer, operatorIssuers)) return { accounts: [] };
    const { rows } = await inTransaction(pool, (client) =>
      client.query<Found>(
        `select account_id, employee_id, invitation_id from admin.find_admin_accounts($1::text, $2::text, $3::text)
         join admin.account using (account_id) where closed_at is null order by account_id, employee_id nulls last`,
        [issuer, subject, email === '' ? null : emailKey(email)],
      ),
    );
    const accounts: AdminAccount[] = [];
    for (const row of rows) {
      // An employee needs no invitation any more.
      if (accounts.at(-1)?.account?.account_id === row.account_id) continue;
      accounts.push(await inAccount(pool, row.account_id, (client) => describe(client, request, row)));
    }
    return { accounts };
  };

async function describe(client: Client, request: FindAdminAccountsRequest, candidate: Found): Promise<AdminAccount> {
  const { account_id, employee_id, invitation_id } = candidate;
  const email =
    employee_id === null
      ? await acceptInvitation(client, request, account_id, invitation_id)
      : await link(client, request, account_id, employee_id);
  const [account, managed] = [await findAccount(client, account_id), await countManaged(client, account_id)];
  return { account, employee_id: employee_id ?? 0, invitation_id: invitation_id ?? 0, email, managed };
}

async function acceptInvitation(
  client: Client,
  { issuer, subject }: FindAdminAccountsRequest,
  accountId: number,
  id: number,
): Promise<string> {
  const { rows } = await client.query<{ email: string }>(
    `update admin.invitation set issuer = $3::text, subject = $4::text
     where account_id = $1::bigint and id = $2::bigint and (subject is null or issuer = $3::text and subject = $4::text) returning email`,
    [accountId, id, issuer, subject],
  );
  if (rows[0] === undefined) throw forbidden('the invitation was accepted by another user');
  return rows[0].email;
}

async function link(
  client: Client,
  { issuer, subject }: FindAdminAccountsRequest,
  accountId: number,
  employee_id: number,
): Promise<string> {
  await client.query(
    `insert into admin.identity (account_id, issuer, subject, employee_id) values ($1::bigint, $2::text, $3::text, $4::bigint)
     on conflict (account_id, issuer, subject) do update set
       linked_at = case when identity.employee_id = excluded.employee_id then identity.linked_at else excluded.linked_at end,
       employee_id = excluded.employee_id, last_sign_in_at = excluded.last_sign_in_at`,
    [accountId, issuer, subject, employee_id],
  );
  const { rows } = await client.query<{ email: string }>(
    'select email from imports.employee where account_id = $1::bigint and id = $2::bigint',
    [accountId, employee_id],
  );
  const email = rows[0]?.email ?? '';
  await endInvitations(client, accountId, [emailKey(email)]);
  return email;
}
