import { LRUCache } from 'lru-cache';
import type { Queryable } from '@survey/postgres/database.ts';
import { RespondentSet } from '../answers/respondent-set.ts';
import { readBlocks, type BlockRow } from '../sql/read-blocks.ts';

/** Answers to one question in one cycle that are released together. */
export interface Block extends Pick<BlockRow, 'questionId' | 'cycleId' | 'choices'> {
  // Bits, or ordinals where these need less memory.
  readonly respondents: RespondentSet | Uint32Array;
  // Exclusive upper limit of the ordinals.
  readonly limit: number;
  readonly size: number;
}

export interface BlockScope {
  readonly accountId: number;
  // Timeline of the database: after a failover, an id can belong to another block.
  readonly timeline: number;
  readonly ids: readonly number[];
}

/** Returns the blocks with these ids. Blocks never change, so cached ones are not read again. */
export type LoadBlocks = (db: Queryable, scope: BlockScope) => Promise<Block[]>;

const MAX_BYTES = 100_000_000;
// Charged for each block besides its respondents.
const MIN_BYTES = 1_000;

export function createBlockCache(): LoadBlocks {
  const cached = new LRUCache<string, Block>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ respondents }) => MIN_BYTES + bytesOf(respondents),
  });
  return async (db, { accountId, timeline, ids }) => {
    const keyOf = (id: number): string => `${timeline}/${accountId}/${id}`;
    const found = new Map<number, Block>();
    for (const id of ids) {
      const block = cached.get(keyOf(id));
      if (block !== undefined) found.set(id, block);
    }
    const missing = ids.filter((id) => !found.has(id));
    for (const row of missing.length === 0 ? [] : await readBlocks(db, accountId, missing)) {
      const block = blockOf(row);
      found.set(row.id, block);
      cached.set(keyOf(row.id), block);
    }
    if (found.size < ids.length) throw new Error('expected every block of the database snapshot');
    return [...found.values()];
  };
}

function bytesOf(respondents: Block['respondents']): number {
  return (respondents instanceof RespondentSet ? respondents.bits : respondents).byteLength;
}

function blockOf({ respondents: ordinals, ...row }: BlockRow): Block {
  const limit = (ordinals.at(-1) ?? -1) + 1;
  const bits = new RespondentSet(limit);
  for (const ordinal of ordinals) bits.add(ordinal);
  const respondents = bits.bits.length <= ordinals.length ? bits : new Uint32Array(ordinals);
  return { ...row, respondents, limit, size: ordinals.length };
}
