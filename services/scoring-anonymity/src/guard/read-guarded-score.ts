import type { Client } from '@survey/postgres/database.ts';
import { resolveOptions } from '@survey/postgres/merged-options.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { RespondentSet } from '../answers/respondent-set.ts';
import { releasesBlock, type CycleParticipation } from '../rules/disclosure-guard.ts';
import type { RequestedQuestion } from '../rules/requested-questions.ts';
import type { Scale } from '../rules/scale.ts';
import type { Period, QuestionTally, ScoreInputs } from '../rules/score.ts';
import { findCycles, type Block, type Segment, type SettledPeriod } from './read-blocks.ts';
import type { Cell, LoadBlocks, LoadCells } from './guard-caches.ts';

interface GuardedQuery extends Period, Segment {
  readonly accountId: number;
  readonly timeline: number;
  readonly questions: readonly RequestedQuestion[];
}

/** The inputs of a score under the disclosure guard. */
export interface GuardedBasis extends ScoreInputs {
  readonly settled: SettledPeriod;
  // One for each cycle with a block.
  readonly participation: readonly CycleParticipation[];
}

/** Loads what a guarded score consists of. */
export interface GuardCaches {
  readonly loadBlocks: LoadBlocks;
  readonly loadCells: LoadCells;
}

/**
 * Reads the inputs of a score from whole blocks of closed cycles (rule GUARD-SCORES-1).
 * @throws `invalid` for options that are not of the filter attribute
 */
export async function readGuardedScore(db: Client, caches: GuardCaches, query: GuardedQuery): Promise<GuardedBasis> {
  const questionIds = query.questions.map(({ id }) => id);
  const options = query.optionIds && (await resolveOptions(db, query.accountId, query.optionIds));
  const { blocks: ranges, assigned, optionsAreOfFilter, ...settled } = await findCycles(db, { ...query, questionIds, options });
  if (!optionsAreOfFilter) throw foreignOptions();
  const blocksOf = await caches.loadBlocks(db, { ...query, ranges });
  const cells = query.questions.flatMap((question) =>
    ranges.flatMap(([cycleId, lowest, highest]) => {
      // Blocks outside the range are expired, or not in this database snapshot.
      const blocks = blocksOf(question.id, cycleId).filter(
        ({ id, size, optionGroups }) =>
          id >= lowest && id <= highest && releasesBlock(question, size) && isSelected(optionGroups, options?.all),
      );
      return blocks.length === 0 ? [] : [blocks.map(({ id }) => id).join()];
    }),
  );
  const { used, ...inputs } = addUp(query.questions, await caches.loadCells(db, { ...query, cells }));
  const byCycle = Map.groupBy(used, ({ cycleId }) => cycleId);
  const participation = assigned.flatMap(([cycleId, employees]): CycleParticipation[] => {
    const ofCycle = byCycle.get(cycleId);
    return ofCycle === undefined ? [] : [{ cycleId, assigned: employees, respondents: countRespondents(ofCycle) }];
  });
  return { ...inputs, settled, participation };
}

// A filter selects the blocks of which every group has one of the options (rule
// GUARD-SEGMENTS-2).
function isSelected(groups: Block['optionGroups'], optionIds: readonly number[] | undefined): boolean {
  return optionIds === undefined || groups.every((group) => group.some((option) => optionIds.includes(option)));
}

// The same error for every unusable option, so that it does not show which options exist (rule
// TEXTS-FILTER-1).
function foreignOptions(): Error {
  const because = 'must be options of the one attribute that the account has chosen for filtering answers';
  return invalid(`attribute_option_ids ${because}`, [{ pointer: '/attribute_option_ids', detail: because }]);
}

/** Adds up the cells of each question that has a scale. */
function addUp(questions: readonly RequestedQuestion[], cells: readonly Cell[]): ScoreInputs & { used: Cell[] } {
  const byQuestion = Map.groupBy(cells, ({ questionId }) => questionId);
  const tallies: QuestionTally[] = [];
  const used: Cell[] = [];
  for (const { id, scale } of questions) {
    const ofQuestion = byQuestion.get(id);
    if (scale === undefined || ofQuestion === undefined) continue;
    tallies.push(tallyOf(scale, ofQuestion));
    for (const cell of ofQuestion) used.push(cell);
  }
  return { tallies, respondents: countRespondents(used), used };
}

function countRespondents(cells: readonly Cell[]): number {
  const union = new RespondentSet(cells.reduce((highest, { limit }) => Math.max(highest, limit), 0));
  union.addEach(cells.map(({ respondents }) => respondents));
  return union.size;
}

function tallyOf(scale: Scale, cells: readonly Cell[]): QuestionTally {
  let [sum, count] = [0, 0];
  for (const { choices } of cells) {
    for (const [optionIds, answers] of choices) {
      const numerator = scale.numeratorOf(optionIds);
      if (numerator === undefined) continue;
      sum += numerator * answers;
      count += answers;
    }
  }
  return { sum, count, denominator: scale.denominator };
}
