import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import { releaseScore } from '@survey/scoring-anonymity/rules/release.ts';
import { createScoringAccount, openScoringDatabase } from '../property/scoring-database.ts';
import { optionId, optionsOf } from '../support/scales.ts';

const database = await openScoringDatabase();

const CHANGES = 150;
const READERS = 6;

// Employee n gives 5 stars and corrects them to 1 in the next change, so with n employees the score
// is always 100 / n.
const changed = (n: number) => {
  const by = (person: number, stars: number, revision: number) => {
    const answers = [{ question_id: 11, option_ids: [optionId(11, stars)] }];
    // Later employees answered earlier, so that no order follows time.
    const submitted_at = new Date(Date.UTC(2024, 0, 1) - person * 1_000).toISOString();
    return response(uuidOf(person), { employee: { id: person }, submitted_at, answers }, revision);
  };
  return [by(n, 5, 0), ...(n === 1 ? [] : [by(n - 1, 1, 1)])];
};

test('while responses come and are corrected, every score is one that was true between question and answer', async () => {
  const account = await createScoringAccount(database);
  await account.bring(Array.from({ length: CHANGES }, (_, n) => ({ id: n + 1, importId: null, optionIds: [] })));
  await account.state('survey', [survey(1, { score_threshold: 3 })]);
  await account.state('question', [question(11, { type: 'stars', answer_options: optionsOf(11) })]);
  let begun = 0;
  let done = 0;
  let readings = 0;
  const read = async (): Promise<void> => {
    while (done < CHANGES) {
      const least = done;
      const { respondents, tallies, questions } = await database.readScore({
        accountId: account.accountId,
        questionIds: new Set([11]),
        fromUs: 0,
        toUs: Number.MAX_SAFE_INTEGER,
      });
      expect(respondents).toBeGreaterThanOrEqual(least);
      expect(respondents).toBeLessThanOrEqual(begun);
      const scoreThresholds = questions.map(({ scoreThreshold }) => scoreThreshold);
      const { score } = releaseScore({ respondents, tallies, scoreThresholds });
      expect(score).toBe(respondents < 3 ? null : Math.round(10_000 / respondents) / 100);
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
  expect(readings).toBeGreaterThan(CHANGES);
});
