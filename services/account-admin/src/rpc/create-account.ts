import { enterAccount, inTransaction, type Client, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Account, CreateAccountRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { audit } from '../audit.ts';
import { utc } from '../sql/utc.ts';

const MAX_NAME = 255;

/** Creates an account. Names need not be unique, because the account_id identifies the account. */
export const createAccount = (pool: Pool) => (request: CreateAccountRequest, call: CallContext) =>
  inTransaction(pool, async (client) => {
    const account = await insertAccount(client, checkName(request.name));
    await enterAccount(client, account.account_id);
    await audit(client, call, {
      accountId: account.account_id,
      action: 'account.create',
      before: null,
      after: { name: account.name },
    });
    return account;
  });

function checkName(given: string): string {
  const name = given.trim();
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
