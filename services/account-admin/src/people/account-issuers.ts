import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Issuers, SetIssuersRequest, ShowIssuersRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount, withAccount } from '../with-account.ts';
import { audit } from '../audit/write-audit.ts';

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
export function isOperatorIssuer(issuer: string, operatorIssuers: readonly string[]): boolean {
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
