import { setImmediate as nextTurn } from 'node:timers/promises';
import { AccountClosedError, deleteAccountRows } from '@survey/postgres/account-rows.ts';
import { toolOf } from '@survey/process/tool.ts';
import { trainingWork } from '@survey/text-analysis/topics/learning/train-topic-models.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import { tablesWithData } from '../support/deleted-account.ts';
import { createTextAccount, openTextDatabase } from '../property/text-database.ts';

const database = await openTextDatabase();

const CHANGES = 60;
const READERS = 6;
const page = z.object({ total_count: z.number(), responses: z.array(z.object({ text: z.string() })) });

// In change n, employee n writes `new n`, and the one before corrects their text to `old n-1`.
const changed = (n: number) => {
  const by = (person: number, text: string, revision: number) =>
    response(uuidOf(person), { employee: { id: person }, answers: [{ question_id: 15, option_ids: [], text }] }, revision);
  return [by(n, `new ${n}`, 0), ...(n === 1 ? [] : [by(n - 1, `old ${n - 1}`, 1)])];
};

function textsAfter(changes: number): string[] {
  if (changes < 3) return [];
  return [...Array.from({ length: changes - 1 }, (_, index) => `old ${index + 1}`), `new ${changes}`].sort();
}

test('while texts come and are corrected, count and page are those of one moment between question and answer [LISTS-ENVELOPE-3]', async () => {
  const account = await createTextAccount(database);
  await account.bring(Array.from({ length: CHANGES }, (_, n) => ({ id: n + 1, importId: null, optionIds: [] })));
  await account.state('survey', [survey(1, { text_threshold: 3 })]);
  await account.state('question', [question(15)]);
  let begun = 0;
  let done = 0;
  let readings = 0;
  const read = async (): Promise<void> => {
    while (done < CHANGES) {
      const least = done;
      const { total_count, responses } = page.parse(await account.ask({ limit: 1_000, offset: 0 }));
      expect(responses).toHaveLength(total_count);
      // Below the threshold the list is empty.
      expect(total_count).toBeGreaterThanOrEqual(least < 3 ? 0 : least);
      expect(total_count).toBeLessThanOrEqual(begun);
      expect(responses.map(({ text }) => text).sort()).toEqual(textsAfter(total_count));
      readings += 1;
      await nextTurn();
    }
  };
  const write = async (): Promise<void> => {
    for (let n = 1; n <= CHANGES; n += 1) {
      begun = n;
      await account.state('response', changed(n));
      done = n;
    }
  };
  await Promise.all([write(), ...Array.from({ length: READERS }, read)]);
  expect(readings).toBeGreaterThan(CHANGES / 4);
});

test('stores nothing when a training or a backfill ends after the deletion of the account [DATA-DELETION-1]', async () => {
  const { text, db } = database;
  const account = await createTextAccount(database);
  const { accountId } = account;
  await account.state('question', [question(15)]);
  // The training reads the topics before it trains.
  const deleteMeanwhile = async (): Promise<[]> => {
    await db.query('update admin.account set closed_at = now() where account_id = $1', [accountId]);
    while (!(await deleteAccountRows(text, 'text', accountId, 1_000)));
    return [];
  };
  const training = trainingWork({ pool: text, afterDecisions: 0, findTopicViews: deleteMeanwhile }, toolOf('test'));
  await expect(training.work(accountId)).rejects.toThrow(AccountClosedError);
  await expect(account.mask(1)).rejects.toThrow(AccountClosedError);
  expect(await tablesWithData(db, accountId)).toEqual(['imports.attribute', 'imports.attribute_option']);
  const { rows } = await db.query("select id from text.accounts_to_backfill('mask', '') id where id = $1", [accountId]);
  expect(rows).toEqual([]);
});
