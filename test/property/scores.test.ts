import type { ReadScore, ScoreQuery } from '@survey/scoring-anonymity/read-score.ts';
import { loadAnswers } from '@survey/scoring-anonymity/answers/answer-cache.ts';
import { inAccountSnapshot } from '@survey/postgres/database.ts';
import { microsecondsOf } from '@survey/formats/instant.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { releaseScore } from '@survey/scoring-anonymity/rules/release.ts';
import { expect, test } from 'vitest';
import { checkInParallel } from './parallel-property.ts';
import { ScoreModel, type ModelQuery, type ModelScore } from './score-model.ts';
import { days, type Step } from './score-steps.ts';
import { createScoringAccount, openScoringDatabase, type Newcomer, type ScoringAccount } from './scoring-database.ts';

const database = await openScoringDatabase();

const SEEDS = Number(process.env['SCORE_SEEDS'] ?? 25);

test(
  `the scores of ${SEEDS} random accounts are those of the model [DATA-ERASURE-2] [SCORES-EDITS-1] [SCORES-EDITS-2]`,
  { timeout: 300_000 },
  async () => {
    const seen = { released: 0, suppressed: 0, rejected: 0 };
    await checkInParallel(SEEDS, days, async (steps) => {
      const account = await createScoringAccount(database);
      const model = new ScoreModel();
      await bring(STAFF, account, model);
      for (const step of steps) await perform(step, account, model, seen);
    });
    // A slow machine may time out before the last seed: the steps tried must still cover every
    // kind.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(3);
  },
);

const STAFF: readonly Newcomer[] = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, importId: null, optionIds: [(id % 3) + 1] }));

type Seen = Record<'released' | 'suppressed' | 'rejected', number>;

async function perform(step: Step, account: ScoringAccount, model: ScoreModel, seen: Seen): Promise<void> {
  if (step.do === 'state') {
    await account.state(step.kind, step.facts);
    model.state(step.facts);
  } else if (step.do === 'bring') await bring([step.employee], account, model);
  else if (step.do === 'move') {
    await account.move(step.id, step.optionIds);
    model.move(step.id, step.optionIds);
  } else if (step.do === 'erase') {
    await account.erase(step.id, step.answers);
    model.erase(step.id, step.answers);
  } else await compare(step.query, account, model, seen);
}

test('an account whose choices have more than 3,000,000 options is not cached', async () => {
  const { db, pool } = database;
  const { rows } = await db.query<{ id: number }>("insert into admin.account (name) values ('test') returning account_id as id");
  const accountId = rows[0]?.id ?? 0;
  await db.query(
    `insert into scoring.choice (account_id, id, option_ids, key)
     values ($1, 0, array_fill(1, array[3000001]), 'x')`,
    [accountId],
  );
  await expect(inAccountSnapshot(pool, accountId, (tx) => loadAnswers(tx, accountId))).rejects.toThrow(
    'more than 3000000 options',
  );
});

async function bring(employees: readonly Newcomer[], account: ScoringAccount, model: ScoreModel): Promise<void> {
  await account.bring(employees);
  for (const employee of employees) model.bring(employee);
}

// From the database, and from the cache.
async function compare(query: ModelQuery, { accountId }: ScoringAccount, model: ScoreModel, seen: Seen): Promise<void> {
  const { questionIds, from, to } = query;
  const plain = { accountId, questionIds: new Set(questionIds), fromUs: microsecondsOf(from), toUs: microsecondsOf(to) };
  const expected = model.score(query);
  expect(await scoreOf(database.readScore, plain)).toEqual(expected);
  await database.memory.waitUntilIdle();
  expect(await scoreOf(database.readScore, plain)).toEqual(expected);
  seen[expected === '400' ? 'rejected' : expected.score === null ? 'suppressed' : 'released'] += 1;
}

async function scoreOf(readScore: ReadScore, query: ScoreQuery): Promise<ModelScore> {
  try {
    const { questions, unit, respondents, tallies } = await readScore(query);
    const scoreThresholds = questions.map(({ scoreThreshold }) => scoreThreshold);
    const { score, suppressed, suppression_reason } = releaseScore({ scoreThresholds, respondents, tallies });
    expect([suppressed, suppression_reason === null]).toEqual([score === null, score !== null]);
    return { unit, respondents, score };
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'invalid') return '400';
    throw error;
  }
}
