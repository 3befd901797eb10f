import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import { allowLongStatements, type Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { MAX_CHANGES } from './sql/account-snapshot.ts';
import { lockAccountState, saveAccountState } from './sql/account-state.ts';
import { deleteExpiredCycle, findExpiredCycle } from './sql/expired-cycles.ts';

const MAX_STATEMENT_MS = 900_000;

/**
 * Deletes answers that are older than their account keeps them, all of a cycle in one transaction:
 * a score of a part of them could reveal the others (rule DATA-RETENTION-2).
 */
export const answerRetention = (pool: Pool, defaultDays: number, metrics: Metrics): AccountWork =>
  retentionWork(
    pool,
    {
      kind: 'answers',
      expired: 'scoring.expired_answers',
      defaultDays,
      deleteExpired: async (tx, accountId) => {
        await allowLongStatements(tx, MAX_STATEMENT_MS);
        const state = await lockAccountState(tx, accountId);
        const cycle = await findExpiredCycle(tx, accountId, defaultDays);
        if (cycle === undefined) return undefined;
        state.answers -= await deleteExpiredCycle(tx, accountId, cycle);
        // More changes than a cache can follow: every process loads the account's answers again.
        state.sequence += MAX_CHANGES + 1;
        await saveAccountState(tx, accountId, state);
        return 0;
      },
    },
    metrics,
  );
