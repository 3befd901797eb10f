import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Settings, ShowSettingsRequest } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { toSettingsMessage } from '../settings-message.ts';
import { currentSettings } from '../sql/settings.ts';

/** Returns the account's current settings, or the defaults. */
export const showSettings =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowSettingsRequest, call: CallContext): Promise<Settings> =>
    withAccount(pool, call, accountId, async (client) =>
      toSettingsMessage(client, accountId, await currentSettings(client, accountId)),
    );
