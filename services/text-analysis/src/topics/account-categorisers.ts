import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { readLearning, readModel } from '../sql/learners.ts';
import type { Categoriser } from './categoriser.ts';
import { createLearnedCategoriser } from './learning/learned-categoriser.ts';

/** What finds an account's topics: its own learner when it has an active one, else what all have. */
export interface Categorisers {
  // Of what all have.
  readonly modelVersion: string;
  readonly findCategoriser: (tx: Client, accountId: number) => Promise<Categoriser>;
}

// Some hundred kilobytes each.
const MOST_LEARNERS = 50;

export function accountCategorisers(all: Categoriser): Categorisers {
  const learners = new LRUCache<string, Categoriser>({ max: MOST_LEARNERS });
  return {
    modelVersion: all.version,
    findCategoriser: async (tx, accountId) => {
      const { activeVersion } = await readLearning(tx, accountId);
      if (activeVersion === null) return all;
      const key = `${accountId} ${activeVersion}`;
      const known = learners.get(key);
      if (known !== undefined) return known;
      const model = await readModel(tx, accountId, activeVersion);
      const learned = createLearnedCategoriser(model, `${all.version}+learner-${activeVersion}`);
      learners.set(key, learned);
      return learned;
    },
  };
}
