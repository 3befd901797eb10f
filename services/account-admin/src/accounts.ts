import { type Client, enterAccount, inTransaction, type Pool } from '@survey/postgres/database.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Account, CreateAccountRequest, ListAccountsResponse, ShowAccountRequest } from '@survey/proto/admin/v1/admin.ts';
import { audit } from './write-audit.ts';
import { currentSettings, insertSettings } from './settings/account-settings.ts';
import { guard } from './settings/set-settings.ts';
import { utc } from './sql-text.ts';
import { withAccount } from './with-account.ts';

/**
 * Returns one account.
 * @throws `not_found`
 */
export async function findAccount(client: Client, accountId: number): Promise<Account> {
  const { rows } = await client.query<Account>(
    `select account_id, name, ${utc('created_at')} as created_at from admin.account where account_id = $1::bigint`,
    [accountId],
  );
  if (rows[0] === undefined) throw notFound(`there is no account ${accountId}`);
  return rows[0];
}

/** Counts the managed employees: the base of the deletion threshold. */
export async function countManaged(client: Client, accountId: number): Promise<number> {
  const { rows } = await client.query<{ managed: number }>(
    `select count(*) as managed from imports.employee where account_id = $1::bigint and created_via = 'import_api' and not is_deleted`,
    [accountId],
  );
  return rows[0]?.managed ?? 0;
}

const MAX_NAME = 255;

/**
 * Creates an account. Names need not be unique, because the account_id identifies the account. Its
 * disclosure guard is decided by the request, or else by the installation (rule GUARD-SETTING-1).
 */
export const createAccount =
  (pool: Pool, guardDefault: string) =>
  (request: CreateAccountRequest, call: CallContext): Promise<Account> => {
    const disclosure_guard = (guard(request) ?? guardDefault) || undefined;
    if (disclosure_guard === undefined)
      throw invalid('disclosure_guard must be strict or off: whoever creates an account decides it (docs/anonymity.md)');
    return inTransaction(pool, async (client) => {
      const account = await insertAccount(client, checkName(request.name));
      const { account_id: accountId, name } = account;
      await enterAccount(client, accountId);
      if (disclosure_guard === 'strict')
        await insertSettings(client, accountId, { ...(await currentSettings(client, accountId)), disclosure_guard });
      await audit(client, call, { accountId, action: 'account.create', before: null, after: { name, disclosure_guard } });
      return account;
    });
  };

function checkName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME) throw invalid(`name must have 1 to ${MAX_NAME} characters, and not only blanks`);
  if (/\p{Cc}/u.test(name)) throw invalid('name must not contain control characters');
  return name;
}

async function insertAccount(client: Client, name: string): Promise<Account> {
  const { rows } = await client.query<Account>(
    `with account as (insert into admin.account (name) values ($1::text) returning account_id, name, created_at)
     select account_id, name, ${utc('created_at')} as created_at from account`,
    [name],
  );
  if (rows[0] === undefined) throw new Error('expected the insert to return a row');
  return rows[0];
}

const LIST = `
select account_id, name, ${utc('created_at')} as created_at, ${utc('closed_at')} as closed_at
from admin.account order by account_id`;

/** Returns all accounts, oldest first. */
export const listAccounts = (pool: Pool) => (): Promise<ListAccountsResponse> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<Account>(LIST);
    return { accounts: rows };
  });

/**
 * Returns one account.
 * @throws `not_found`
 */
export const showAccount =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowAccountRequest, call: CallContext): Promise<Account> =>
    withAccount(pool, call, accountId, async (client) => ({
      ...(await findAccount(client, accountId)),
      managed: await countManaged(client, accountId),
    }));
