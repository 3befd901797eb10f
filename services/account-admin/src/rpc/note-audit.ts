import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { NoteAuditRequest, NoteAuditResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';

const ACTIONS: ReadonlySet<string> = new Set([
  'sign-in',
  'sign-in.again',
  'sign-in.again.rejected',
  'sign-out',
  'account.enter',
  'download',
  'dry-run',
]);
const MAX_WHAT = 200;

/** Records an action that changes no data in the audit. */
export const noteAudit =
  (pool: Pool) =>
  async ({ account_id: accountId, action, what }: NoteAuditRequest, call: CallContext): Promise<NoteAuditResponse> => {
    if (!ACTIONS.has(action)) throw invalid(`action must be one of ${[...ACTIONS].join(', ')}`);
    if (what.length > MAX_WHAT || /\p{Cc}/u.test(what)) throw invalid(`what must be a line of at most ${MAX_WHAT} characters`);
    const after = what === '' ? null : { what };
    await withLockedAccount(pool, call, accountId, (client) => audit(client, call, { accountId, action, before: null, after }));
    return {};
  };
