import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ListDeadLettersRequest, ListDeadLettersResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { countDeadLetters, deadLetters, type DeadLetterPage } from '../sql/dead-letters.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

/** Returns a page of the dead letters of one load, and their number. */
export const listDeadLetters =
  (pool: Pool) =>
  async (request: ListDeadLettersRequest, call: CallContext): Promise<ListDeadLettersResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, async (client) => ({
      dead_letters: await deadLetters(client, page),
      ...(await countDeadLetters(client, page)),
    }));
  };

function checkPage({ account_id, source, limit, offset }: ListDeadLettersRequest): DeadLetterPage {
  const page = { accountId: account_id, source, limit: limit ?? DEFAULT_LIMIT, offset: offset ?? 0 };
  if (page.limit < 0 || page.limit > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
  if (page.offset < 0) throw invalid('offset must not be negative');
  return page;
}
