import { readBinaryCopy } from '@survey/postgres/copy-out.ts';
import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import { AccountAnswers } from './account-answers.ts';
import { type AnswerRow, readSnapshot } from './account-snapshot.ts';
import { BYTES_PER_ANSWER } from './answer-columns.ts';

const MAX_LOAD_MS = 10 * 60_000;

/** Thrown when the answers of an account exceed memory; ANSWER_CACHE_MB must be raised. */
export class TooManyAnswersError extends Error {
  override readonly name = 'TooManyAnswersError';
}

/**
 * Loads the values that decide which answers of an account are shown, in a transaction with one
 * database snapshot. Texts are not loaded.
 * @throws TooManyAnswersError when they take more than `maxBytes`.
 */
export async function loadAnswers(tx: Client, accountId: number, maxBytes: number): Promise<AccountAnswers> {
  // If the statistics do not know the account yet, PostgreSQL expects one answer, and would compare
  // each answer with each response (docs/adr/0029-no-plan-depends-on-neighbours.md).
  await allowLongStatements(tx, MAX_LOAD_MS, { enable_nestloop: 'off' });
  const { changes, timeline, answers: count } = await readSnapshot(tx, { accountId, held: undefined, optionIds: [] });
  if (changes === undefined) throw new Error('expected changes for an account that is not cached');
  const bytes = count * BYTES_PER_ANSWER;
  if (bytes > maxBytes) throw new TooManyAnswersError(`cannot load answers: ${count} answers take ${bytes} bytes of ${maxBytes}`);
  const answers = new AccountAnswers(timeline);
  await copyAnswers(tx, accountId, (answer) => answers.append(answer));
  answers.follow(changes);
  answers.trim();
  return answers;
}

type OnAnswer = (answer: AnswerRow) => void;

/** Selects the answers that are not removed, sorted by sort key. */
export const SELECT_ANSWERS = `
select a.sort_key, a.id, a.question_id, r.cycle, r.respondent, r.option_set, r.imported, coalesce(m.policy, 0), coalesce(b.block, -1)
from text.answer a
join text.response r on r.account_id = a.account_id and r.id = a.response_id
left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
left join text.block_answer b on b.account_id = a.account_id and b.answer = a.id
where a.account_id = $1 and a.content is not null
order by a.sort_key, a.response_id, a.question_id`;

/** Reads the answers that are not removed, sorted by sort key. */
async function copyAnswers(tx: Client, accountId: number, onAnswer: OnAnswer): Promise<void> {
  // COPY takes no parameters; readAccount has checked that the account is a number.
  await readBinaryCopy(tx, `copy (${SELECT_ANSWERS.replace('$1', String(accountId))}) to stdout (format binary)`, (bytes, from) =>
    readRows(bytes, from, onAnswer),
  );
}

// A row is a column count, then for each column a length and its bytes: 2 + 3 * (4+8) + 5 * (4+4) +
// (4+1).
const ROW_BYTES = 83;

// Returns the offset of the first incomplete one.
function readRows(bytes: Buffer, from: number, onAnswer: OnAnswer): number {
  let at = from;
  for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
    onAnswer({
      sortKey: bytes.readBigInt64BE(at + 6),
      id: bytes.readInt32BE(at + 18),
      questionId: Number(bytes.readBigInt64BE(at + 26)),
      cycle: bytes.readInt32BE(at + 38),
      respondent: bytes.readInt32BE(at + 46),
      optionSet: bytes.readInt32BE(at + 54),
      imported: bytes[at + 62] === 1,
      policy: Number(bytes.readBigInt64BE(at + 67)),
      gone: false,
      block: bytes.readInt32BE(at + 79),
    });
  }
  return at;
}
