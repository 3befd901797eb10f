import type { Client, Queryable } from '@survey/postgres/database.ts';
import { resolveOptions } from '@survey/postgres/merged-options.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { RespondentSet } from './answers/respondent-set.ts';
import { releasesBlock, type CycleParticipation } from './rules/disclosure-guard.ts';
import type { RequestedQuestion } from './rules/requested-questions.ts';
import type { Scale } from './rules/scale.ts';
import type { Period, QuestionTally, ScoreInputs } from './rules/score.ts';
import {
  findCycles,
  type Block,
  type Segment,
  type SettledPeriod,
  type BlockIds,
  type BlockRange,
  type CellRow,
  readCells,
  readNewBlocks,
} from './read-blocks.ts';
import { LRUCache } from 'lru-cache';

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

interface IndexScope {
  readonly accountId: number;
  // Timeline of the database: after a failover, an id can belong to another block.
  readonly timeline: number;
  // Blocks of the requested cycles in the database snapshot.
  readonly ranges: readonly BlockRange[];
}

/** Looks up the blocks of a cell, by question and cycle. */
type BlocksOf = (questionId: number, cycleId: string) => readonly Block[];

/** Returns the blocks of an account. Blocks never change, so only new ones are read. */
export type LoadBlocks = (db: Queryable, scope: IndexScope) => Promise<BlocksOf>;

interface AccountBlocks {
  readonly cells: Map<string, Block[]>;
  highest: number;
  count: number;
}

const MAX_BLOCKS = 200_000;

export function createBlockIndex(): LoadBlocks {
  const cache = new LRUCache<string, AccountBlocks>({ maxSize: MAX_BLOCKS, sizeCalculation: ({ count }) => 1 + count });
  return async (db, { accountId, timeline, ranges }) => {
    const key = `${timeline}/${accountId}`;
    const index = cache.get(key) ?? { cells: new Map<string, Block[]>(), highest: 0, count: 0 };
    if (ranges.some(([, , highest]) => highest > index.highest)) {
      add(index, await readNewBlocks(db, accountId, index.highest));
      // Deleted first: the size of the same object is not measured again.
      cache.delete(key);
      cache.set(key, index);
    }
    return (questionId, cycleId) => index.cells.get(cellKey(questionId, cycleId)) ?? [];
  };
}

const cellKey = (questionId: number, cycleId: string): string => `${questionId}/${cycleId}`;

function add(index: AccountBlocks, blocks: readonly Block[]): void {
  for (const block of blocks) {
    // A concurrent call has added it.
    if (block.id <= index.highest) continue;
    const key = cellKey(block.questionId, block.cycleId);
    const cell = index.cells.get(key) ?? [];
    index.cells.set(key, cell);
    cell.push(block);
    index.count += 1;
    index.highest = block.id;
  }
}

/** The released blocks of one question in one cycle, added up. */
export interface Cell extends Pick<CellRow, 'questionId' | 'cycleId' | 'choices'> {
  // Bits, or ordinals where these need less memory.
  readonly respondents: RespondentSet | Uint32Array;
  // Exclusive upper limit of the ordinals.
  readonly limit: number;
}

interface CellScope {
  readonly accountId: number;
  // Timeline of the database: after a failover, an id can belong to another block.
  readonly timeline: number;
  readonly cells: readonly BlockIds[];
}

/** Returns the cells of these blocks. Blocks never change, so cached cells are not read again. */
export type LoadCells = (db: Queryable, scope: CellScope) => Promise<Cell[]>;

const MAX_BYTES = 100_000_000;
// Size charged for each cell in addition to its respondents.
const MIN_BYTES = 1_000;
// Limits the memory of a long period's ordinals while they are read.
const CELLS_AT_ONCE = 50;

export function createCellCache(): LoadCells {
  const cache = new LRUCache<string, Cell>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ respondents }) => MIN_BYTES + bytesOf(respondents),
  });
  return async (db, { accountId, timeline, cells }) => {
    const keyOf = (ids: BlockIds): string => `${timeline}/${accountId}/${ids}`;
    const loaded: Cell[] = [];
    const missingIds: BlockIds[] = [];
    for (const ids of cells) {
      const cell = cache.get(keyOf(ids));
      if (cell === undefined) missingIds.push(ids);
      else loaded.push(cell);
    }
    for (let from = 0; from < missingIds.length; from += CELLS_AT_ONCE) {
      for (const row of await readCells(db, accountId, missingIds.slice(from, from + CELLS_AT_ONCE))) {
        const cell = cellOf(row);
        loaded.push(cell);
        cache.set(keyOf(row.ids), cell);
      }
    }
    if (loaded.length < cells.length) throw new Error('expected every block of the database snapshot');
    return loaded;
  };
}

function bytesOf(respondents: Cell['respondents']): number {
  return (respondents instanceof RespondentSet ? respondents.bits : respondents).byteLength;
}

function cellOf({ questionId, cycleId, choices, respondents }: CellRow): Cell {
  const limit = respondents.reduce((highest, ordinals) => Math.max(highest, (ordinals.at(-1) ?? -1) + 1), 0);
  const bits = new RespondentSet(limit);
  for (const ordinals of respondents) for (const ordinal of ordinals) bits.add(ordinal);
  const ordinals = respondents.flat();
  return {
    questionId,
    cycleId,
    choices,
    limit,
    respondents: bits.bits.length <= ordinals.length ? bits : new Uint32Array(ordinals),
  };
}
