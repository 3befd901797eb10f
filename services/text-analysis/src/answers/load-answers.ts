import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import { AccountAnswers } from './account-answers.ts';
import { BYTES_PER_ANSWER } from './answer-columns.ts';
import { readSnapshot } from './account-snapshot.ts';
import { copyAnswers } from './copy-answers.ts';

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
  await allowLongStatements(tx, MAX_LOAD_MS);
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
