import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import { copyAnswers, readAnswerState } from '../sql/copy-answers.ts';
import { AccountAnswers } from './account-answers.ts';
import type { AnswerColumn } from './column.ts';

const MAX_LOAD_MS = 10 * 60_000;

/** Loads all numeric answers of an account. The transaction must use one database snapshot. */
export async function loadAnswers(tx: Client, accountId: number): Promise<AccountAnswers> {
  await allowLongStatements(tx, MAX_LOAD_MS);
  const answers = new AccountAnswers(await readAnswerState(tx, accountId));
  let column: AnswerColumn | undefined;
  let columnQuestionId = 0;
  // Rows are sorted by question, so one column grows at a time.
  await copyAnswers(tx, accountId, (questionId, submittedUs, respondent, choice) => {
    if (column === undefined || questionId !== columnQuestionId) {
      const next = answers.column(questionId);
      if (column !== undefined) next.rows.takeBuffersOf(column.rows);
      [column, columnQuestionId] = [next, questionId];
    }
    column.append(submittedUs, respondent, choice);
  });
  column?.rows.trim();
  return answers;
}
