import { emailKey } from '@survey/employee-record/email-key.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { AdminAccount, FindAdminAccountsRequest, FindAdminAccountsResponse } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { countManaged, findAccount } from '../sql/accounts.ts';

interface Found {
  account_id: number;
  employee_id: number;
}

/**
 * Returns the accounts that are bound to the issuer and in which the user is an employee with role
 * Admin. The verified address links the user to the employee once; later calls use the issuer's
 * subject, so that a later owner of the address gets no access.
 */
export const findAdminAccounts =
  (pool: Pool) =>
  async (request: FindAdminAccountsRequest): Promise<FindAdminAccountsResponse> => {
    const { issuer, subject, verified_email: email } = request;
    if (issuer === '' || subject === '') throw invalid('issuer and subject are required');
    const { rows } = await pool.query<Found>(
      `select account_id, employee_id from admin.find_admin_accounts($1::text, $2::text, $3::text)
       join admin.account using (account_id) where closed_at is null order by account_id`,
      [issuer, subject, email === '' ? null : emailKey(email)],
    );
    const accounts: AdminAccount[] = [];
    for (const found of rows) accounts.push(await inAccount(pool, found.account_id, (client) => link(client, request, found)));
    return { accounts };
  };

async function link(client: Client, { issuer, subject }: FindAdminAccountsRequest, found: Found): Promise<AdminAccount> {
  const { account_id: accountId, employee_id } = found;
  await client.query(
    `insert into admin.identity (account_id, issuer, subject, employee_id) values ($1::bigint, $2::text, $3::text, $4::bigint)
     on conflict (account_id, issuer, subject) do update set
       linked_at = case when identity.employee_id = excluded.employee_id then identity.linked_at else now() end,
       employee_id = excluded.employee_id, last_sign_in_at = now()`,
    [accountId, issuer, subject, employee_id],
  );
  const { rows } = await client.query<{ email: string }>(
    'select email from imports.employee where account_id = $1::bigint and id = $2::bigint',
    [accountId, employee_id],
  );
  const managed = await countManaged(client, accountId);
  return { account: await findAccount(client, accountId), employee_id, email: rows[0]?.email ?? '', managed };
}
