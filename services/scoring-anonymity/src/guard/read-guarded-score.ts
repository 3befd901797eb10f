import type { Queryable } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { RespondentSet } from '../answers/respondent-set.ts';
import { releasesBlock, type CycleParticipation } from '../rules/disclosure-guard.ts';
import type { RequestedQuestion } from '../rules/requested-questions.ts';
import type { Scale } from '../rules/scale.ts';
import type { Period, QuestionTally, ScoreInputs } from '../rules/score.ts';
import { findBlocks, type Segment, type SettledPeriod } from '../sql/read-blocks.ts';
import type { Block, LoadBlocks } from './block-cache.ts';

interface GuardedQuery extends Period, Segment {
  readonly accountId: number;
  readonly timeline: number;
  readonly questions: readonly RequestedQuestion[];
}

/** The inputs of a score under the disclosure guard. */
export interface GuardedBasis extends ScoreInputs {
  readonly settled: SettledPeriod;
  // Of the cycles with a block.
  readonly participation: readonly CycleParticipation[];
}

/**
 * Reads the inputs of a score from whole blocks of closed cycles (rule GUARD-SCORES-1).
 * @throws `invalid` for options that are not of the filter attribute
 */
export async function readGuardedScore(db: Queryable, load: LoadBlocks, query: GuardedQuery): Promise<GuardedBasis> {
  const { accountId, timeline, questions } = query;
  const questionIds = questions.map(({ id }) => id);
  const { ids, assigned, optionsAreOfFilter, ...settled } = await findBlocks(db, { ...query, questionIds });
  if (!optionsAreOfFilter) throw foreignOptions();
  const blocks = Map.groupBy(await load(db, { accountId, timeline, ids }), ({ questionId }) => questionId);
  const { used, ...inputs } = addUp(questions, blocks);
  const byCycle = Map.groupBy(used, ({ cycleId }) => cycleId);
  const participation = assigned.flatMap(([cycleId, employees]): CycleParticipation[] => {
    const own = byCycle.get(cycleId);
    return own === undefined ? [] : [{ cycleId, assigned: employees, respondents: countRespondents(own) }];
  });
  return { ...inputs, settled, participation };
}

// The same error for every unusable option, so that it does not show which options exist (rule
// TEXTS-FILTER-1).
function foreignOptions(): Error {
  const because = 'must be options of the one attribute that the account has chosen for filtering answers';
  return invalid(`attribute_option_ids ${because}`, [{ pointer: '/attribute_option_ids', detail: because }]);
}

/** Adds up the blocks of each question that has a scale. */
function addUp(
  questions: readonly RequestedQuestion[],
  blocks: ReadonlyMap<number, readonly Block[]>,
): ScoreInputs & { used: Block[] } {
  const tallies: QuestionTally[] = [];
  const used: Block[] = [];
  for (const question of questions) {
    if (question.scale === undefined) continue;
    const released = (blocks.get(question.id) ?? []).filter(({ size }) => releasesBlock(question, size));
    if (released.length === 0) continue;
    tallies.push(tallyOf(question.scale, released));
    used.push(...released);
  }
  return { tallies, respondents: countRespondents(used), used };
}

function countRespondents(blocks: readonly Block[]): number {
  const union = new RespondentSet(blocks.reduce((most, { limit }) => Math.max(most, limit), 0));
  for (const { respondents } of blocks) union.addSet(respondents);
  return union.size;
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
