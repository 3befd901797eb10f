import { LRUCache } from 'lru-cache';
import type { Queryable } from '@survey/postgres/database.ts';
import { RespondentSet } from '../answers/respondent-set.ts';
import { readCells, type BlockIds, type CellRow } from './read-blocks.ts';

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
