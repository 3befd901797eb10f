import type { AccountWork } from '@survey/bus/account-work.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/facts/retry-deferred.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { applyResponses, DEFERRED_RESPONSES } from '../intake/apply-responses.ts';
import { accountsWithoutOptions, fillOptions } from '../sql/fill-options.ts';

/**
 * Creates the account work that retries deferred responses, and fills in the options of respondents
 * who were unknown as employees when they responded. Applied imports wake both.
 */
export function waitingWork(pool: Pool): AccountWork[] {
  return [
    deferredFactWork('text', (accountId) => retryDeferredFacts(pool, accountId, DEFERRED_RESPONSES, applyResponses)),
    {
      kind: 'options',
      sweep: accountsWithoutOptions,
      work: (accountId) => inAccount(pool, accountId, (tx) => fillOptions(tx, accountId)),
    },
  ];
}
