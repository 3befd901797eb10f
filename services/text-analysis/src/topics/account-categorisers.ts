import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { readTopicModelState, readModel } from './learning/topic-models.ts';
import type { Categoriser } from './categoriser.ts';
import { createLearnedCategoriser } from './learning/learned-categoriser.ts';

/**
 * Selects the categoriser of an account: its active topic model, else the embedded one.
 */
export interface Categorisers {
  // Version of the shared categorisers.
  readonly modelVersion: string;
  readonly findCategoriser: (tx: Client, accountId: number) => Promise<Categoriser>;
}

// Cached topic models, each of some 100 kB.
const MAX_MODELS = 50;

export function accountCategorisers(embedded: Categoriser): Categorisers {
  const models = new LRUCache<string, Categoriser>({ max: MAX_MODELS });
  return {
    modelVersion: embedded.version,
    findCategoriser: async (tx, accountId) => {
      const { activeVersion, timeline } = await readTopicModelState(tx, accountId);
      if (activeVersion === null) return embedded;
      const key = `${accountId} ${activeVersion} ${timeline}`;
      const cached = models.get(key);
      if (cached !== undefined) return cached;
      const model = await readModel(tx, accountId, activeVersion);
      const learned = createLearnedCategoriser(model, `${embedded.version}+model-${activeVersion}`);
      models.set(key, learned);
      return learned;
    },
  };
}
