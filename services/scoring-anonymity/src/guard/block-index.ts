import { LRUCache } from 'lru-cache';
import type { Queryable } from '@survey/postgres/database.ts';
import { readNewBlocks, type Block, type BlockRange } from './read-blocks.ts';

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
