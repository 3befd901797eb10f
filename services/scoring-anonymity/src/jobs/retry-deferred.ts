import type { AccountWork } from '@survey/bus/account-work.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/facts/retry-deferred.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { applyResponses, DEFERRED_RESPONSES } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsWithoutOptions, fillOptions } from '../sql/fill-options.ts';

/**
 * Returns the retries per account: deferred responses, and missing options of respondents who were
 * not employees yet when they responded. Applied imports wake both.
 */
export function waitingWork(pool: Pool): AccountWork[] {
  return [
    deferredFactWork('scoring', (accountId) => retryDeferredFacts(pool, accountId, DEFERRED_RESPONSES, applyResponses)),
    {
      kind: 'options',
      sweep: accountsWithoutOptions,
      work: (accountId) =>
        inAccount(pool, accountId, async (tx) => {
          await lockAccountState(tx, accountId);
          return fillOptions(tx, accountId);
        }),
    },
  ];
}
