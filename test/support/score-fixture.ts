import type { Fact, Question } from '@survey/proto/intake/v1/intake.ts';
import { expect } from 'vitest';
import type { Account } from './accounts.ts';
import { ALL_TIME, type Period } from './answers.ts';
import type { Answer } from './api.ts';
import { openIntake, question, survey } from './facts.ts';
import type { FileStack } from './file-stack.ts';
import { scale } from './scales.ts';

export const STARS: Partial<Question> = { type: 'stars', answer_options: scale(11, { worst: 1, best: 5 }, 1, 2, 3, 4, 5) };
const INVERTED: Partial<Question> = { type: 'stars', answer_options: scale(12, { worst: 5, best: 1 }, 1, 2, 3, 4, 5) };
const nps = (id: number): Partial<Question> => ({
  type: 'nps',
  answer_options: scale(id, { worst: 0, best: 10 }, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
});
const SMILEYS: Partial<Question> = {
  survey_id: 2,
  type: 'smiley_faces',
  answer_options: scale(21, { worst: 1, best: 3 }, 1, 2, 3),
};

/** The account of the score tests, and its score requests. */
interface ScoreFixture {
  readonly fixture: () => Promise<Account>;
  readonly state: (account: Account, kind: 'survey' | 'question' | 'cycle' | 'response', ...facts: Fact[]) => Promise<void>;
  // Sends the request twice and expects equal results.
  readonly ask: (account: Account, questionIds: string, period?: Period) => Promise<Answer>;
}

/** Call with `await` at the top of the file. */
export async function openScoreFixture({ stack, api, operator }: FileStack): Promise<ScoreFixture> {
  const intake = await openIntake(stack);
  const state: ScoreFixture['state'] = ({ accountId }, kind, ...facts) => intake.publishFacts(accountId, kind, facts);
  return {
    state,
    fixture: async () => {
      const account = await operator.createAccount();
      await state(account, 'survey', survey(1, { score_threshold: 5 }), survey(2, { score_threshold: 10 }));
      const questions = [question(11, STARS), question(12, INVERTED), question(13, nps(13)), question(14, nps(14)), question(15)];
      await state(account, 'question', ...questions, question(21, SMILEYS));
      return account;
    },
    ask: async ({ readKey }, ids, { from, to } = ALL_TIME) => {
      const path = `/v1/scores?question_ids=${ids}&period_from=${encodeURIComponent(from)}&period_to=${encodeURIComponent(to)}`;
      // PostgreSQL serves the first call of an account; the cache serves later ones.
      const [first, second] = [await api.get(path, readKey), await api.get(path, readKey)];
      expect([second.status, withoutInstance(second)]).toEqual([first.status, withoutInstance(first)]);
      return second;
    },
  };
}

export const withoutInstance = ({ body }: Answer): object => ({ ...Object(body), instance: undefined });

export const released = (score: number, respondents: number, unit = 'favorability_percent') => ({
  status: 200,
  body: { score, unit, respondents, suppressed: false, suppression_reason: null },
});
export const suppressed = (respondents: number, unit = 'favorability_percent') => ({
  status: 200,
  body: { score: null, unit, respondents, suppressed: true, suppression_reason: 'below_anonymity_threshold' },
});
