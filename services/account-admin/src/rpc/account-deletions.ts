import { markDue } from '@survey/postgres/due.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  AccountDeletion,
  CancelAccountDeletionRequest,
  DeleteAccountRequest,
  ShowAccountDeletionRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../account.ts';
import { actorOf, audit } from '../audit.ts';
import { DELETION, withRemainders } from '../account-deletion.ts';
import { findAccount } from '../sql/accounts.ts';
import { findDeletion, insertDeletion, removeDeletion } from '../sql/deletions.ts';
import { findIntegration } from '../sql/integration.ts';

const MAX_AFTER_SECONDS = 366 * 86_400;

/**
 * Requests the deletion of an account (rule DATA-DELETION-1).
 * @throws `invalid` when the name is another one, `conflict` while the integration is connected.
 */
export const deleteAccount =
  (pool: Pool, wake: () => void) =>
  async (request: DeleteAccountRequest, call: CallContext): Promise<AccountDeletion> => {
    const { account_id: accountId, after_seconds: afterSeconds } = request;
    if (afterSeconds < 0 || afterSeconds > MAX_AFTER_SECONDS) throw invalid('after_seconds must be 0 to one year');
    const deletion = await withLockedAccount(pool, call, accountId, async (client) => {
      const known = await findDeletion(client, accountId);
      if (known !== undefined) return known;
      await checkDeletable(client, request);
      await insertDeletion(client, accountId, actorOf(call), afterSeconds);
      await markDue(client, 'admin', DELETION, [accountId], 1_000 * afterSeconds);
      await audit(client, call, { accountId, action: 'account.delete', before: null, after: { after_seconds: afterSeconds } });
      return deletionOf(client, accountId);
    });
    wake();
    return deletion;
  };

async function checkDeletable(client: Client, { account_id, name, force }: DeleteAccountRequest): Promise<void> {
  const account = await findAccount(client, account_id);
  if (account.name !== name) throw invalid(`name must be the name of account ${account_id}`);
  if (!force && (await findIntegration(client, account_id))?.connected === true)
    throw conflict('the integration is connected: disconnect it first, or force the deletion');
}

/**
 * Takes a deletion back.
 * @throws `conflict` when it has begun, `not_found` when none was requested.
 */
export const cancelAccountDeletion =
  (pool: Pool) =>
  ({ account_id: accountId }: CancelAccountDeletionRequest, call: CallContext): Promise<AccountDeletion> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const deletion = await deletionOf(client, accountId);
      if (!(await removeDeletion(client, accountId))) throw conflict('the deletion has begun and cannot be taken back');
      await audit(client, call, { accountId, action: 'account.keep', before: { due_at: deletion.due_at }, after: null });
      return { ...deletion, state: 'taken_back' };
    });

/** Returns a deletion's progress. @throws `not_found` when none was requested. */
export const showAccountDeletion =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowAccountDeletionRequest): Promise<AccountDeletion> =>
    inAccount(pool, accountId, async (client) => withRemainders(await deletionOf(client, accountId)));

async function deletionOf(client: Client, accountId: number): Promise<AccountDeletion> {
  const deletion = await findDeletion(client, accountId);
  if (deletion === undefined) throw notFound(`no deletion of account ${accountId} was requested`);
  return deletion;
}
