import { readBinaryCopy } from '@survey/postgres/copy.ts';
import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/timeline.ts';
import { AccountAnswers } from '../answers/account-answers.ts';
import type { AnswerColumn } from '../answers/column.ts';

const MAX_LOAD_MS = 10 * 60_000;

const STATE = `
select coalesce(s.sequence, 0) as sequence, coalesce(s.respondents, 0) as respondents, ${TIMELINE} as timeline, coalesce((
  select json_agg(c.option_ids order by c.id) from scoring.choice c where c.account_id = s.account_id
), '[]') as choices
from (values (true)) one (row)
left join scoring.account_state s on s.account_id = $1::bigint`;

interface StateRow {
  sequence: number;
  respondents: number;
  timeline: number;
  choices: number[][];
}

/**
 * Loads all numeric answers of an account. The transaction must use one database snapshot. COPY
 * reads about two million answers per second.
 */
export async function loadAnswers(tx: Client, accountId: number): Promise<AccountAnswers> {
  await allowLongStatements(tx, MAX_LOAD_MS);
  const { rows } = await tx.query<StateRow>(STATE, [accountId]);
  if (rows[0] === undefined) throw new Error('expected one row');
  const answers = new AccountAnswers(rows[0]);
  await copyAnswers(tx, accountId, answers);
  return answers;
}

async function copyAnswers(tx: Client, accountId: number, answers: AccountAnswers): Promise<void> {
  // COPY takes no parameters; readAccount has checked that the account is a number.
  const loader = new Loader(answers);
  await readBinaryCopy(
    tx,
    `copy (select question_id, submitted_us, respondent, choice from scoring.answer
           where account_id = ${accountId} order by question_id, submitted_us) to stdout (format binary)`,
    (bytes, from) => loader.append(bytes, from),
  );
  loader.end();
}

// A row is a column count, then a length and the bytes of each column: 2 + 2 * (4+8) + 2 * (4+4).
const ROW_BYTES = 42;
const HIGH_WORD = 2 ** 32;

// Rows are sorted by question, so one column grows at a time.
class Loader {
  readonly #answers: AccountAnswers;
  #questionId = 0;
  #column: AnswerColumn | undefined;

  constructor(answers: AccountAnswers) {
    this.#answers = answers;
  }

  /**
   * Appends the complete rows that begin at `from`. Returns the offset of the first incomplete row.
   */
  append(bytes: Buffer, from: number): number {
    let at = from;
    for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
      const column = this.#columnOf(bytes.readInt32BE(at + 6) * HIGH_WORD + bytes.readUInt32BE(at + 10));
      const submittedUs = bytes.readInt32BE(at + 18) * HIGH_WORD + bytes.readUInt32BE(at + 22);
      column.append(submittedUs, bytes.readInt32BE(at + 30), bytes.readInt32BE(at + 38));
    }
    return at;
  }

  end(): void {
    this.#column?.rows.trim();
  }

  #columnOf(questionId: number): AnswerColumn {
    if (this.#column !== undefined && questionId === this.#questionId) return this.#column;
    const next = this.#answers.column(questionId);
    if (this.#column !== undefined) next.rows.takeBuffersOf(this.#column.rows);
    this.#questionId = questionId;
    return (this.#column = next);
  }
}
