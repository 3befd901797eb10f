import { int8At, readBinaryCopy } from '@survey/postgres/copy-out.ts';
import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
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

const STATE = `
select coalesce(s.sequence, 0) as sequence, coalesce(s.respondents, 0) as respondents, ${TIMELINE} as timeline, coalesce((
  select json_agg(c.option_ids order by c.id) from scoring.choice c where c.account_id = $1::bigint
), '[]') as choices
from (values (true)) one (row)
left join scoring.account_state s on s.account_id = $1::bigint`;

interface AnswerState {
  readonly sequence: number;
  readonly respondents: number;
  readonly timeline: number;
  // Options of each choice, by its ordinal.
  readonly choices: number[][];
}

/** Reads the state of an account's answers in the transaction's database snapshot. */
async function readAnswerState(tx: Client, accountId: number): Promise<AnswerState> {
  const { rows } = await tx.query<AnswerState>(STATE, [accountId]);
  if (rows[0] === undefined) throw new Error('the statement has one row');
  return rows[0];
}

type OnAnswer = (questionId: number, submittedUs: number, respondent: number, choice: number) => void;

/**
 * Reads all numeric answers of an account, sorted by question and time. COPY reads about two
 * million answers per second.
 */
async function copyAnswers(tx: Client, accountId: number, onAnswer: OnAnswer): Promise<void> {
  // COPY takes no parameters; inAccountSnapshot has checked that the account is a number.
  await readBinaryCopy(
    tx,
    `copy (select question_id, submitted_us, respondent, choice from scoring.answer
           where account_id = ${accountId} order by question_id, submitted_us) to stdout (format binary)`,
    (bytes, from) => readRows(bytes, from, onAnswer),
  );
}

// A row is a column count, then a length and the bytes of each column: 2 + 2 * (4+8) + 2 * (4+4).
const ROW_BYTES = 42;

// Returns the offset of the first incomplete row.
function readRows(bytes: Buffer, from: number, onAnswer: OnAnswer): number {
  let at = from;
  for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
    onAnswer(int8At(bytes, at + 6), int8At(bytes, at + 18), bytes.readInt32BE(at + 30), bytes.readInt32BE(at + 38));
  }
  return at;
}
