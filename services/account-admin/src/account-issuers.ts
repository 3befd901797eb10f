import { emailKey } from '@survey/formats/email-key.ts';
import { type Client, inAccount, inTransaction, type Pool } from '@survey/postgres/database.ts';
import type {
  AdminAccount,
  FindAdminAccountsRequest,
  FindAdminAccountsResponse,
  Issuers,
  SetIssuersRequest,
  ShowIssuersRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { forbidden, invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { countManaged, findAccount } from './accounts.ts';
import { audit } from './write-audit.ts';
import { withAccount, withLockedAccount } from './with-account.ts';
import { endInvitations } from './admins.ts';

const MAX_ISSUERS = 10;

/** Returns the issuers whose users may administer the account. */
export const showIssuers =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowIssuersRequest, call: CallContext): Promise<Issuers> =>
    withAccount(pool, call, accountId, async (client) => ({ issuers: await issuersOf(client, accountId) }));

/**
 * Replaces the account's issuers. Users of a removed issuer lose their links, and access with the
 * next request.
 */
export const setIssuers =
  (pool: Pool, operatorIssuers: readonly string[]) =>
  ({ account_id: accountId, issuers }: SetIssuersRequest, call: CallContext): Promise<Issuers> => {
    const newIssuers = checkIssuers(issuers);
    const operatorIssuer = newIssuers.find((issuer) => isOperatorIssuer(issuer, operatorIssuers));
    if (operatorIssuer !== undefined) throw invalid(`${operatorIssuer} signs in operators, who cannot be admins of an account`);
    return withLockedAccount(pool, call, accountId, async (client) => {
      const before = await issuersOf(client, accountId);
      if (JSON.stringify(before) === JSON.stringify(newIssuers)) return { issuers: before };
      await client.query('delete from admin.account_issuer where account_id = $1::bigint', [accountId]);
      await client.query(
        'insert into admin.account_issuer (account_id, issuer) select $1::bigint, unnest($2::text[]) returning 1',
        [accountId, newIssuers],
      );
      await client.query('delete from admin.identity where account_id = $1::bigint and issuer <> all($2::text[])', [
        accountId,
        newIssuers,
      ]);
      await audit(client, call, {
        accountId,
        action: 'account.issuers',
        before: { issuers: before },
        after: { issuers: newIssuers },
      });
      return { issuers: newIssuers };
    });
  };

/** Returns whether the issuer, in any spelling of its URL, signs in operators. */
function isOperatorIssuer(issuer: string, operatorIssuers: readonly string[]): boolean {
  const spelled = (url: string): string => new URL(url).href.replace(/\/+$/, '');
  return operatorIssuers.some((each) => spelled(each) === spelled(issuer));
}

function checkIssuers(issuers: readonly string[]): string[] {
  const newIssuers = [...new Set(issuers)].toSorted();
  if (newIssuers.length > MAX_ISSUERS) throw invalid(`issuers must have at most ${MAX_ISSUERS} entries`);
  if (!newIssuers.every((issuer) => /^https?:\/\/\S{1,500}$/.test(issuer) && URL.canParse(issuer)))
    throw invalid('each issuer must be an absolute URL');
  return newIssuers;
}

async function issuersOf(client: Client, accountId: number): Promise<string[]> {
  const { rows } = await client.query<{ issuer: string }>(
    'select issuer from admin.account_issuer where account_id = $1::bigint order by issuer collate "C"',
    [accountId],
  );
  return rows.map(({ issuer }) => issuer);
}

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
    // Accounts may have been bound to this issuer before it was configured for operators.
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
