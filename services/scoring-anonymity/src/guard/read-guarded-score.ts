import type { Queryable } from '@survey/postgres/database.ts';
import { RespondentSet } from '../answers/respondent-set.ts';
import { releasesBlock } from '../rules/disclosure-guard.ts';
import type { RequestedQuestion } from '../rules/requested-questions.ts';
import type { Scale } from '../rules/scale.ts';
import type { Period, QuestionTally, ScoreInputs } from '../rules/score.ts';
import { findBlocks, type SettledPeriod } from '../sql/read-blocks.ts';
import type { Block, LoadBlocks } from './block-cache.ts';

interface GuardedQuery extends Period {
  readonly accountId: number;
  readonly timeline: number;
  readonly questions: readonly RequestedQuestion[];
}

/** Reads the inputs of a score from whole blocks of closed cycles (rule GUARD-SCORES-1). */
export async function readGuardedScore(
  db: Queryable,
  load: LoadBlocks,
  { accountId, timeline, questions, fromUs, toUs }: GuardedQuery,
): Promise<ScoreInputs & { settled: SettledPeriod }> {
  const questionIds = questions.map(({ id }) => id);
  const { ids, ...settled } = await findBlocks(db, { accountId, questionIds, fromUs, toUs });
  const blocks = Map.groupBy(await load(db, { accountId, timeline, ids }), ({ questionId }) => questionId);
  return { ...addUp(questions, blocks), settled };
}

/** Adds up the blocks of each question that has a scale. */
export function addUp(questions: readonly RequestedQuestion[], blocks: ReadonlyMap<number, readonly Block[]>): ScoreInputs {
  const tallies: QuestionTally[] = [];
  const used: Block[] = [];
  for (const question of questions) {
    if (question.scale === undefined) continue;
    const released = (blocks.get(question.id) ?? []).filter(({ size }) => releasesBlock(question, size));
    if (released.length === 0) continue;
    tallies.push(tallyOf(question.scale, released));
    used.push(...released);
  }
  const widest = Math.max(0, ...used.map(({ respondents }) => respondents.bits.length));
  const respondents = new RespondentSet(widest * 32);
  for (const block of used) respondents.addAll(block.respondents.bits);
  return { tallies, respondents: respondents.size };
}

function tallyOf(scale: Scale, blocks: readonly Block[]): QuestionTally {
  let [sum, count] = [0, 0];
  for (const { choices } of blocks) {
    for (const [optionIds, answers] of choices) {
      const numerator = scale.numeratorOf(optionIds);
      if (numerator === undefined) continue;
      sum += numerator * answers;
      count += answers;
    }
  }
  return { sum, count, denominator: scale.denominator };
}
