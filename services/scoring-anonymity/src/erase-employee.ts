import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/facts/deferred-facts.ts';
import { allowLongStatements, inAccount, type Pool } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState } from './sql/account-state.ts';
import { MAX_CHANGES } from './sql/account-snapshot.ts';
import { deleteResponses, deleteRespondent, unlinkResponses } from './sql/erase-respondent.ts';

// Without an index on respondents, their responses are found by reading those of the account.
const MAX_STATEMENT_MS = 60_000;

/**
 * Makes an employee's answers those of a number that belongs to no employee, or deletes them (rule
 * DATA-ERASURE-2).
 */
export const eraseEmployee =
  (pool: Pool) =>
  (erasure: Erasure): Promise<undefined> =>
    inAccount(pool, erasure.accountId, async (tx) => {
      const { accountId, employeeId, answers } = erasure;
      await allowLongStatements(tx, MAX_STATEMENT_MS);
      const state = await lockAccountState(tx, accountId);
      await deleteFactsOfErased(tx, 'scoring', erasure);
      const respondent = await deleteRespondent(tx, accountId, employeeId);
      if (respondent === undefined) return undefined;
      if (answers === 'anonymise') return unlinkResponses(tx, accountId, respondent);
      state.answers -= await deleteResponses(tx, accountId, respondent);
      // More changes than a cache can follow: every process loads the account's answers again.
      state.sequence += MAX_CHANGES + 1;
      await saveAccountState(tx, accountId, state);
      return undefined;
    });
